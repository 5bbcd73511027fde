const FITS_EVERYWHERE = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Call ids in a history may stem from another provider, or another program. Where one has
 * characters or a length that some provider refuses, it is replaced, always in the same
 * way, so that a call and its result still meet.
 */
export function wireCallId(callId: string): string {
  if (FITS_EVERYWHERE.test(callId)) return callId;
  const tidy = callId.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 40);
  return `${tidy || "call"}_${fingerprint(callId)}`;
}

/** FNV-1a: two different ids that tidy up to the same text must stay apart. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
