import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../program.ts";
import { testIo } from "../test-io.ts";

/** Commands in German, over one real gateway with the demo model. */

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ config: "language: de\n" });
});
afterAll(() => gateway.kill());

async function told(...argv: string[]): Promise<string> {
  const { home } = gateway;
  const io = testIo({ env: { ELWOOD_HOME: home, HOME: home }, cwd: home });
  const code = await runCli(argv, io);
  expect([0, 1], `${argv.join(" ")}: ${io.err()}`).toContain(code);
  return `${io.out()}${io.err()}`.replaceAll(home, "");
}

/** Words that no German sentence has. What is to be typed and what owners wrote has none of them here. */
const ENGLISH =
  /\b(?:the|and|with|your|you|there|are|is|were|from|not|of|no|yet|none|nothing|never|ago|now|this|that|by|for|has|have|last|next|each|every|asks?|reads?|writes?|runs?|calls?|receipts?|sessions? (?!list|search|show)|jobs? (?!list|grants|resume|history))\b/i;
/** Commands, options, settings with their values, tools and types of receipts are the same in every language. */
const TO_TYPE =
  /^(?:allow|ask|deny) |(?<= {2})ask(?= {2})|\b(?:elwood|npm|npx) [^\n]*|--[\w-]+|\b\w+(?:[._]\w+)+\b|\b\w+\/(?:\w*)|<[\w-]+>|\b[\w-]+\.(?:yaml|json|md|db)\b/gm;

const COMMANDS: readonly (readonly string[])[] = [
  ["status"],
  ["sessions", "list"],
  ["sessions", "list", "--deleted"],
  ["sessions", "search", "Rhabarber"],
  ["memory", "list"],
  ["memory", "search", "Rhabarber"],
  ["memory", "status"],
  ["jobs", "add", "--remind", "--at", "2030-12-01T09:00", "--name", "Zahnarzt", "Zahnarzt"],
  ["jobs", "list"],
  ["jobs", "show", "Zahnarzt"],
  ["jobs", "pause", "Zahnarzt"],
  ["jobs", "history"],
  ["jobs", "grants", "Zahnarzt"],
  ["jobs", "remove", "Zahnarzt", "--yes"],
  ["auth", "list"],
  ["tools", "list"],
  ["mcp", "list"],
  ["channels", "list"],
  ["pair", "list"],
  ["usage"],
  ["config", "list"],
  ["policy", "mode", "strict"],
  ["policy", "explain", "files.file.write", '{"path": "a.md", "content": "x"}'],
  ["token", "list"],
  ["grants", "list"],
  ["integrations", "list"],
  ["receipts", "verify"],
  ["state"],
  ["prompt", "show", "--tokens"],
  ["backup", "list"],
  ["diagnostics"],
  ["update"],
  ["approvals", "list"],
  ["undo"],
  ["stop", "--all", "--yes"],
];

test.each(COMMANDS)("elwood %s %s says no English sentence to a German owner", async (...argv) => {
  const text = await told(...argv);
  const words = text.replaceAll(TO_TYPE, "");
  expect(text).not.toBe("");
  expect(ENGLISH.exec(words)?.[0], text).toBe(undefined);
});

test("what programs read is the same in every language", async () => {
  expect(JSON.parse(await told("jobs", "list", "--json"))).toMatchObject({ jobs: expect.anything() });
  expect(await told("usage", "--csv")).toMatch(/^day,questions,input_tokens,/);
});
