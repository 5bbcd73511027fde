import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";

/** The example of the resident assistant's design, letter by letter. */
const RESIDENT_EXAMPLE = `model: "claude-sonnet-4-5-20250929"
compaction_model: "claude-haiku-4-5-20251001"
state_dir: "/var/lib/assistant"
workspace_dir: "/var/lib/assistant/workspace"

telegram:
  allowed_chat_ids: ["123456789"]

heartbeat:
  interval_minutes: 30
  active_hours_start: 8
  active_hours_end: 22

permissions:
  safe_commands: ["ls", "cat", "head", "tail", "date", "whoami", "echo", "git"]
  dangerous_patterns: ["\\\\brm\\\\b", "\\\\bsudo\\\\b", "\\\\bchmod\\\\b", "curl.*\\\\|.*sh"]
  tool_policy:
    run_command: "ask"
    read_file: "allow"
    write_file: "allow"
    web_search: "allow"
    web_fetch: "allow"
    save_memory: "allow"
    search_memory: "allow"

mcp_servers:
  filesystem:
    command: "npx"
    args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/user/docs"]
`;

const OPENACT_EXAMPLE = `version: "1.0"

connections:
  my-llm:
    kind: llm
    provider: openai
    api_base: https://api.openai.com
    authorization: bearer_token
    token: \${OPENAI_API_KEY}
    timeout_ms: 30000

actions:
  chat-support:
    connection: my-llm
    kind: llm
    task: chat
    model: gpt-4o-mini
    system: |
      You are a helpful assistant.
    sampling:
      temperature: 0.2
      max_tokens: 512
    mcp_enabled: true

  embed-search:
    connection: my-llm
    kind: llm
    task: embed
    model: text-embedding-3-small
    mcp_enabled: false
`;

const JARVIS_EXAMPLE = JSON.stringify(
  {
    gateway: { port: 18789, host: "127.0.0.1" },
    agents: { default: "assistant", workspacePath: "./agents" },
    tools: { timeout: 120_000, maxOutputBytes: 100_000 },
    memory: { enabled: true, embeddingModel: "text-embedding-3-small" },
    security: { auditLog: true, secretsFilter: true },
  },
  null,
  "\t",
);

test("EL-16: the resident assistant's example loads as it is, and whatever goes before it is said aloud", async () => {
  const f = testFolder();
  f.write("home/config.yaml", RESIDENT_EXAMPLE);
  const { config, notices, workspaceDir } = await f.load({ nowMs: Date.parse("2026-01-01") });
  expect(config.model).toBe("anthropic/claude-sonnet-4-5-20250929");
  expect(config.compactionModel).toBe("anthropic/claude-haiku-4-5-20251001");
  expect(workspaceDir).toBe("/var/lib/assistant/workspace");
  expect(config.telegram?.allowedChatIds).toEqual(["123456789"]);
  expect(config.heartbeat).toEqual({
    intervalMinutes: 30,
    activeHoursStart: 8,
    activeHoursEnd: 22,
    target: "page",
  });
  expect(config.permissions?.dangerousPatterns).toContain("curl.*\\|.*sh");
  expect(config.permissions?.toolPolicy?.["run_command"]).toBe("ask");
  expect(notices.filter((n) => n.kind === "no-effect")).toEqual([]);
  expect(notices.find((n) => n.key === "stateDir")?.text).toBe(
    `config.yaml:3 \`state_dir\` is not used: the environment ELWOOD_HOME goes first (${f.root}/home).`,
  );
});

test("EL-16: an MCP server that would run an unpinned package is listed as disabled, with the reason", async () => {
  const f = testFolder();
  f.write("home/config.yaml", RESIDENT_EXAMPLE);
  const disabled = (await f.load()).notices.filter((n) => n.kind === "disabled");
  expect(disabled).toHaveLength(1);
  expect(disabled[0]?.key).toBe("mcpServers.filesystem");
  expect(disabled[0]?.text).toMatch(/`filesystem` is disabled.*server-filesystem@1\.2\.3/);
});

test("EL-16: a model near its end is told by date, and after that day in the past tense", async () => {
  const f = testFolder();
  f.write("home/config.yaml", RESIDENT_EXAMPLE);
  const warning = async (day: string) =>
    (await f.load({ nowMs: Date.parse(day) })).notices.find((n) => n.key === "model")?.text;
  expect(await warning("2026-11-15")).toBe(
    "`claude-sonnet-4-5-20250929` stops working on 30 Nov 2026. Set `model` to anthropic/claude-sonnet-5-5.",
  );
  expect(await warning("2026-12-01")).toContain("stopped working on 30 Nov 2026");
});

test("AC-2: the flat connections and actions load as they are, their token filled from the environment", async () => {
  const f = testFolder();
  f.write("home/config.yaml", OPENACT_EXAMPLE);
  const { config, secretValues } = await f.load({ env: { OPENAI_API_KEY: "canary-openai-0001" } });
  expect(config.connections?.["my-llm"]?.token).toBe("canary-openai-0001");
  expect(config.connections?.["my-llm"]?.["authorization"]).toBe("bearer_token");
  expect(config.actions?.["chat-support"]?.sampling).toEqual({ temperature: 0.2, max_tokens: 512 });
  expect(secretValues).toContain("canary-openai-0001");
});

test("AC-2: a connection whose variable is not set still loads, with a warning", async () => {
  const f = testFolder();
  f.write("home/config.yaml", OPENACT_EXAMPLE);
  const { notices } = await f.load();
  expect(notices.find((n) => n.kind === "warning")?.text).toBe(
    "config.yaml:9 `connections.my-llm.token` reads the variable OPENAI_API_KEY, which is not set.",
  );
});

test("JV-10: the local gateway's five groups load from JSON, and PROJ_JARVIS_* override them", async () => {
  const f = testFolder();
  f.write("home/config.json", JARVIS_EXAMPLE);
  const { config, secrets, workspaceDir, origins } = await f.load({
    env: { PROJ_JARVIS_PORT: "19000", PROJ_JARVIS_HOST: "127.0.0.2", PROJ_JARVIS_TOKEN: "t".repeat(20) },
  });
  expect(config.gateway).toMatchObject({ port: 19_000, host: "127.0.0.2" });
  expect(origins.get("gateway.port")).toBe("environment PROJ_JARVIS_PORT");
  expect(config.tools).toEqual({ secrets: {}, timeoutMs: 120_000, maxOutputBytes: 100_000 });
  expect(config.memory?.embeddingModel).toBe("text-embedding-3-small");
  expect(config.security).toEqual({ auditLog: true, secretsFilter: true });
  expect(workspaceDir).toBe(join(f.root, "home", "agents"));
  expect(secrets.get("ELWOOD_TOKEN")?.source).toBe("environment PROJ_JARVIS_TOKEN");
});
