import { toWireName } from "@elwood/core/model/model";

const FITS_EVERYWHERE = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Call ids in a history may stem from another provider, or another program. Where one has
 * characters or a length that some provider refuses, it is replaced, always in the same
 * way, so that a call and its result still meet.
 */
export function wireCallId(callId: string): string {
  return fitting(callId, "call");
}

/**
 * A model may call what no tool can be named. The call stays in the history, and a name
 * that a provider refuses there would make every later turn of the session fail.
 */
export function wireToolName(toolId: string): string {
  return fitting(toWireName(toolId), "tool");
}

function fitting(text: string, otherwise: string): string {
  if (FITS_EVERYWHERE.test(text)) return text;
  const tidy = text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 40);
  return `${tidy || otherwise}_${fingerprint(text)}`;
}

/** FNV-1a: two different ids that tidy up to the same text must stay apart. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
