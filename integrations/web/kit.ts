import { ToolError, type CallFact, type Preview } from "@elwood/sdk/tool";
import type { WebToolLimits } from "./limits.ts";

/** Whether Elwood's rules let a request go to an address. Looks names up, sends nothing else. */
export type CheckAddress = (
  url: string,
) => Promise<{ readonly ok: true } | { readonly ok: false; readonly rule: string; readonly reason: string }>;

export type SearchService =
  | { readonly provider: "brave"; readonly url?: string }
  | { readonly provider: "searxng"; readonly url: string };

export interface WebKit {
  readonly check: CheckAddress;
  readonly search: SearchService | undefined;
  readonly limits: WebToolLimits;
}

/** What the rules say of an address, before anybody is asked. A name that is unknown breaks no rule. */
export async function addressFacts(check: CheckAddress, url: string): Promise<CallFact[]> {
  const checked = await check(url);
  if (checked.ok || !checked.rule.startsWith("hard.")) return [];
  return [{ kind: "deny", rule: checked.rule, reason: checked.reason }];
}

/** The whole request, for the owner to see before it is sent. */
export function requestPreview(
  sentence: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Preview {
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const query = [...url.searchParams].map(([name, value]) => `  ${name} = ${value}`);
  return {
    sentence,
    subject: url.host,
    after: [
      `GET ${url.href}`,
      `host: ${url.host}`,
      ...sent,
      ...(query.length > 0 ? ["", "What the address says:", ...query] : []),
    ].join("\n"),
  };
}

/** Reads at most `bytesMax`; what is beyond is not fetched. */
export async function readAtMost(
  response: Response,
  bytesMax: number,
): Promise<{ bytes: Uint8Array; cut: boolean }> {
  if (response.body === null) return { bytes: new Uint8Array(), cut: false };
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: Buffer.concat(chunks), cut: false };
    const room = bytesMax - size;
    chunks.push(value.subarray(0, room));
    size += value.length;
    if (size > bytesMax) {
      await reader.cancel();
      return { bytes: Buffer.concat(chunks), cut: true };
    }
  }
}

/**
 * Asking a site for something changes nothing there, so an answer that did not come is a call
 * that failed. Everything else that is thrown stays what it is.
 */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== "AnswerBroken") throw cause;
    throw new ToolError("no_answer", `${cause.message} The request was sent, and nothing came of it.`, {
      retryable: true,
    });
  }
}
