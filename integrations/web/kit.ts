import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import type { CallFact, Preview } from "@elwood/sdk/tool";
import type { WebToolLimits } from "./limits.ts";

/**
 * What the text of an address alone breaks of Elwood's rules, if anything. Looks nothing up: that
 * happens in the handler, where every answer is judged too.
 */
export type JudgeAddress = (
  url: string,
) => Promise<{ readonly rule: string; readonly reason: string } | undefined>;

export type SearchService =
  | { readonly provider: "brave"; readonly url?: string }
  | { readonly provider: "searxng"; readonly url: string };

export interface WebKit {
  readonly judge: JudgeAddress;
  readonly documents: DocumentReader;
  readonly limits: WebToolLimits;
}

/** What the rules say of an address, before anybody is asked. */
export async function addressFacts(judge: JudgeAddress, url: string): Promise<CallFact[]> {
  const refused = await judge(url);
  return refused ? [{ kind: "deny", rule: refused.rule, reason: refused.reason }] : [];
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
