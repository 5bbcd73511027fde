import { ToolError } from "@elwood/sdk/tool";

const WORDS: Readonly<Record<number, string>> = {
  400: "it did not understand the request",
  401: "it asks for a sign-in, which Elwood does not do",
  403: "it does not let Elwood in",
  404: "there is no such page",
  407: "a proxy asks for a sign-in",
  410: "the page is gone for good",
  429: "it was asked too often",
  451: "the page is withheld for legal reasons",
};

/** What a status means, in a sentence; the server's own words stay out of it. */
export function statusProblem(host: string, response: Response): ToolError {
  const { status } = response;
  const known = WORDS[status] ?? (status >= 500 ? "something is broken there" : "there is no page to read");
  const wait = response.headers.get("retry-after") ?? "";
  const later = /^\d{1,6}$/.test(wait) ? ` It asks to wait ${wait} seconds before the next try.` : "";
  const retryable = status === 429 || status >= 500;
  return new ToolError(`http_${status}`, `${host} answered with status ${status}: ${known}.${later}`, {
    retryable,
  });
}
