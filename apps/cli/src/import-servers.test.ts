import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importServers } from "./import-servers.ts";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "elwood-import-"));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  write(
    ".config/Claude/claude_desktop_config.json",
    JSON.stringify({
      mcpServers: {
        "my files": {
          command: "npx",
          args: ["-y", "server-files@1.2.3", "/notes"],
          env: { KEY: "${env:KEY}" },
        },
        newest: { command: "npx", args: ["-y", "server-newest"] },
      },
    }),
  );
  write(
    ".claude.json",
    JSON.stringify({
      mcpServers: { wiki: { type: "http", url: "https://mcp.example.com/mcp", headers: { A: "b" } } },
      projects: { "/x": { mcpServers: { local: { type: "stdio", command: "/usr/bin/local-server" } } } },
    }),
  );
  write(
    ".codex/config.toml",
    `model = "x" # mine\nlong = """\n[mcp_servers.fake]\ncommand = "no"\n"""\n[mcp_servers.docs]\ncommand = 'uv'\nargs = [\n  "run",\n  "server.py", # the server\n]\nenv = { "TOKEN" = "t" }\n[mcp_servers."remote"]\nurl = "https://r.example/mcp"\nbearer_token_env_var = "R_TOKEN"\n[other]\ncommand = "no"\n`,
  );
  const skill = (name: string, text = "Count the eggs.") =>
    `---\nname: ${name}\ndescription: How to ${name}\n---\n${text}\n`;
  write(".claude/skills/bake/SKILL.md", skill("bake"));
  write(".claude/skills/bake/scripts/oven.sh", "#!/bin/sh\n");
  symlinkSync("/etc/passwd", join(home, ".claude/skills/bake/passwd"));
  write(".claude/skills/headless/SKILL.md", "no head\n");
  write(".codex/skills/bake/SKILL.md", skill("bake", "Another one."));
  write(".openclaw/workspace/skills/paint/SKILL.md", skill("paint"));
  write(".openclaw/workspace/skills/paint/big.bin", "x".repeat(2 * 1024 * 1024 + 1));
  write(".agents/skills/sew/SKILL.md", skill("sew"));
  write("workspace/skills/sew/SKILL.md", skill("sew"));
  write(
    ".openclaw/openclaw.json",
    `{ // mine\n  "mcp": { "servers": { "taken": { "url": "https://t.example", }, }, },\n}`,
  );
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const places = (workspace = "workspace") => ({ home, workspaceDir: join(home, workspace) });
const gateway = () =>
  testGateway({
    "mcp.list": () => ({ servers: [{ name: "taken", where: "", state: "idle" }] }),
    "mcp.add": ({ name }) => ({
      server: { name, where: "", state: "running" },
      ...(name === "local" ? { problem: "It does not answer." } : {}),
    }),
  });

test("mcp import shows the servers of four assistants and changes nothing", async () => {
  const { client, calls } = await gateway();
  const io = testIo();
  expect(await importServers(io, client, { apply: false, json: false, ...places() })).toBe(EXIT.ok);
  const lines = io.out().split("\n");
  expect(lines).toContain("+ my-files  npx -y server-files@1.2.3 /notes  (Claude Desktop)");
  expect(lines).toContain("- newest  npx -y server-newest  (Claude Desktop)");
  expect(io.out()).toContain("exact version");
  expect(lines).toContain("+ wiki  https://mcp.example.com/mcp  (Claude Code)");
  expect(lines).toContain("+ docs  uv run server.py  (Codex)");
  expect(lines).toContain("- taken  https://t.example  (OpenClaw)");
  expect(io.err()).toContain("Nothing was changed.");
  expect(calls.filter(({ method }) => method === "mcp.add")).toEqual([]);
});

test("mcp import --apply adds those of the plan, tells which did not answer, and grants nothing", async () => {
  const { client, calls } = await gateway();
  const io = testIo();
  const elsewhere = places("another-workspace");
  expect(await importServers(io, client, { apply: true, json: false, ...elsewhere })).toBe(EXIT.failed);
  const added = calls.filter(({ method }) => method === "mcp.add").map(({ params }) => params);
  expect(added).toEqual([
    {
      name: "my-files",
      command: "npx",
      args: ["-y", "server-files@1.2.3", "/notes"],
      env: { KEY: "${KEY}" },
    },
    { name: "wiki", url: "https://mcp.example.com/mcp", headers: { A: "b" } },
    { name: "local", command: "/usr/bin/local-server" },
    { name: "docs", command: "uv", args: ["run", "server.py"], env: { TOKEN: "t" } },
    { name: "remote", url: "https://r.example/mcp", headers: { Authorization: "Bearer ${R_TOKEN}" } },
  ]);
  expect(io.err()).toContain("local: It does not answer.");
  expect(new Set(calls.map(({ method }) => method))).toEqual(new Set(["mcp.list", "mcp.add"]));
});

test("mcp import shows skills with why one is left, and copies nothing before --apply", async () => {
  const { client } = await gateway();
  const io = testIo();
  await importServers(io, client, { apply: false, json: false, ...places() });
  const lines = io.out().split("\n");
  expect(lines).toContain("+ skill bake  How to bake  (Claude Code, 2 files)");
  expect(lines).toContain("- skill bake  How to bake  (Codex, 1 file)");
  expect(lines).toContain("- skill sew  How to sew  (Codex, 1 file)");
  expect(lines).toContain("- skill paint  How to paint  (OpenClaw, 2 files)");
  expect(io.out()).toContain("larger than 2 MB");
  expect(io.err()).toContain("Claude Code: skills/headless/SKILL.md does not begin");
  expect(existsSync(join(home, "workspace/skills/bake"))).toBe(false);
});

test("mcp import --apply copies a skill whole, follows no link, and changes none that is there", async () => {
  const { client, calls } = await gateway();
  const io = testIo();
  await importServers(io, client, { apply: true, json: false, ...places() });
  const skills = join(home, "workspace/skills");
  expect(readdirSync(skills).toSorted()).toEqual(["bake", "sew"]);
  expect(readdirSync(join(skills, "bake"), { recursive: true }).map(String).toSorted()).toEqual([
    "SKILL.md",
    "scripts",
    "scripts/oven.sh",
  ]);
  expect(readFileSync(join(skills, "bake/SKILL.md"), "utf8")).toContain("Count the eggs.");
  expect(io.err()).toContain("Added the skill bake.");
  // Not a call that grants or labels anything.
  expect(new Set(calls.map(({ method }) => method))).toEqual(new Set(["mcp.list", "mcp.add"]));
});
