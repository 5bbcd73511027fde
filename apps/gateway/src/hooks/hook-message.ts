import type { Part } from "@elwood/core/message/session";

/** What came in: as text, and parsed where it is JSON. */
export interface HookBody {
  readonly text: string;
  readonly json?: unknown;
}

/**
 * The message of a webhook. The owner wrote the words around `{{body}}` and `{{body.some.field}}`; what stands
 * for these came from outside, so that each is a part of its own that the model is shown as data. Where the
 * template names nothing of the body, all of it comes at the end.
 */
export function hookParts(template: string, body: HookBody): Part[] {
  const pieces = template.split(PLACEHOLDER);
  const parts: Part[] = [];
  for (const [i, piece] of pieces.entries()) {
    if (i % 2 === 0) {
      if (piece.trim() !== "") parts.push({ kind: "text", text: piece.trim(), origin: "schedule" });
    } else parts.push(data(valueOf(body, piece)));
  }
  if (pieces.length === 1 && body.text.trim() !== "") parts.push(data(body.text));
  return parts;
}

/** `{{body}}`, `{{ body.repository.full_name }}`, `{{body.commits.0.message}}` */
const PLACEHOLDER = /\{\{\s*body((?:\.[\w-]+)*)\s*\}\}/;

function data(text: string): Part {
  return { kind: "text", text, origin: "webhook" };
}

function valueOf(body: HookBody, path: string): string {
  if (path === "") return body.text;
  let at: unknown = body.json;
  for (const key of path.slice(1).split(".")) {
    at =
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined;
  }
  if (at === undefined) return "(not there)";
  return typeof at === "string" ? at : JSON.stringify(at);
}
