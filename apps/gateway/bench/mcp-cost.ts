/**
 * Calls a server over standard input and output by way of the gateway's MCP client, and then by the bare client
 * library, by turns in one process; prints what it measured as JSON. Started by `npm run bench -- mcp`:
 *
 *   node mcp-cost.ts <folder> <rounds> <calls per round>
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { makeRedactor } from "@elwood/core/base/redact";
import { tokensOfTool } from "@elwood/core/model/tokens";
import { sha256, systemClock } from "@elwood/platform/system";
import { testContext } from "@elwood/sdk/tool";
import { McpServers } from "../src/mcp/mcp-servers.ts";
import { catalogTools, catalogued } from "../src/tools/catalog.ts";
import { Declarations, offeredTools } from "../src/tools/offer.ts";
import { buildToolSnapshot, snapshotOf, toolSpecs } from "../src/tools/tool-snapshot.ts";

/** The smallest server there can be: what it costs is the way to it. */
const SERVER = `
const { createInterface } = require("node:readline");
const tools = Array.from({ length: Number(process.argv[2]) }, (_, i) => ({
  name: "list_items_" + i,
  description: "Use this to list the items of project " + i + ". Returns the newest ones first, with all fields.",
  inputSchema: { type: "object", properties: {
    project: { type: "string", description: "The id of the project that the items of list " + i + " belong to" },
    filter: { type: "string", description: "Words that an item of list " + i + " must have" },
    limit: { type: "integer", minimum: 1, maximum: 100 } }, required: ["project"] },
}));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = method === "initialize"
    ? { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "bench", version: "1" } } }
    : method === "tools/list" ? { result: { tools } }
    : method === "tools/call" ? { result: { content: [{ type: "text", text: "ok" }] } }
    : { error: { code: -32601, message: "no" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

const [folder = "", rounds = "20", perRound = "50"] = process.argv.slice(2);
const file = join(folder, "server.cjs");
writeFileSync(file, SERVER);
const quiet = () => undefined;
const servers = new McpServers({
  version: "bench",
  clock: systemClock,
  log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  redact: makeRedactor([]),
  cage: async () => ({ ok: false, reason: "measured without" }),
  home: folder,
  hidden: [],
  fetchFrom: () => globalThis.fetch,
  fetchForLogin: () => globalThis.fetch,
  isOpened: () => false,
  changed: quiet,
});
await servers.configure({ one: { command: process.execPath, args: [file, "200"] } });
await servers.test("one");
const { tools } = servers.group();
const tool = tools[0]!;
const bare = new Client({ name: "bench", version: "1" });
await bare.connect(new StdioClientTransport({ command: process.execPath, args: [file, "200"] }));
await bare.listTools();

const throughElwood = async () => {
  await tool.handler({ project: "a" }, testContext());
};
const throughLibrary = async () => {
  await bare.callTool({ name: "list_items_0", arguments: { project: "a" } });
};
const measured = { elwood: [] as number[], bare: [] as number[] };
const timed = async (call: () => Promise<void>) => {
  const began = performance.now();
  for (let i = 0; i < Number(perRound); i++) await call();
  return (performance.now() - began) / Number(perRound);
};
await timed(throughElwood);
await timed(throughLibrary);
for (let round = 0; round < Number(rounds); round++) {
  measured.elwood.push(await timed(throughElwood));
  measured.bare.push(await timed(throughLibrary));
}

const { toolSnapshot } = buildToolSnapshot([{ source: "mcp", tools }], { sha256 });
const all = toolSnapshot.list();
const found = catalogTools(catalogued(all), { sha256 });
const offered = offeredTools(
  snapshotOf(new Map([...all, ...found].map((each) => [each.contract.id, each]))),
  "native",
  new Declarations(sha256),
);
const sum = (specs: Parameters<typeof tokensOfTool>[0][]) =>
  specs.reduce((tokens, spec) => tokens + tokensOfTool(spec), 0);
const tokens = {
  tools: all.length,
  whole: sum([...toolSpecs(toolSnapshot, undefined)]),
  catalog: sum([...offered]),
};
process.stdout.write(JSON.stringify({ measured, tokens }));
await servers.close();
await bare.close();
