import type { CallFact, Preview } from "@elwood/sdk/tool";
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
