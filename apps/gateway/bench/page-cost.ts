/**
 * Fetches a page of a loopback site bare, through the guarded client, and with the tool that
 * makes readable text of it; by turns in one process, and prints milliseconds as JSON:
 *
 *   node page-cost.ts <site> <rounds>
 */
import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import type { ToolContext } from "@elwood/sdk/tool";
import { makeGuardedFetch } from "../src/web/guarded-client.ts";
import { systemDialer } from "../src/web/system-dialer.ts";

const [site = "", rounds = "30"] = process.argv.slice(2);
const url = `${site}/article`;
const dialer = systemDialer({
  allowedOrigins: [site],
  ownPorts: () => [],
  ownHosts: [],
  ownOrigins: [],
});
const guarded = makeGuardedFetch({ dialer });
// Only gateway.ts may name an integration; this is no part of the gateway.
const { webTools } = (await import(["@elwood", "integration-web"].join("/"))) as {
  webTools: (options: object) => { id: string; handler: (input: object, ctx: ToolContext) => unknown }[];
};
const tool = webTools({
  documents: directDocuments(),
  judge: async (address: string) => dialer.judge(address),
}).find(({ id }) => id === "web.page.fetch")!;
const ctx: ToolContext = {
  callId: "c",
  session: "s",
  idempotencyKey: "k",
  signal: new AbortController().signal,
  progress: () => undefined,
  fetch: guarded,
  secrets: {},
};
const kinds = {
  bare: async () => (await (await fetch(url)).text()).length,
  guarded: async () => (await (await guarded(url)).text()).length,
  readable: async () => tool.handler({ url, maxChars: 20_000, offset: 0 }, ctx),
};
const taken: Record<string, number[]> = { bare: [], guarded: [], readable: [] };
for (let round = -3; round < Number(rounds); round++) {
  for (const [kind, run] of Object.entries(kinds)) {
    const began = performance.now();
    await run();
    if (round >= 0) taken[kind]!.push(performance.now() - began);
  }
}
process.stdout.write(JSON.stringify(taken));
process.exit(0);
