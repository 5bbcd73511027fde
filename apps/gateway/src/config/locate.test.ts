import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { parseTomlSettings } from "./toml-file.ts";

const NO_HOME = { ELWOOD_HOME: "" };

describe("EL-16: `state_dir` in the settings file", () => {
  test("is where state lies, relative paths from that file, and a file of the usual place may name it", async () => {
    const f = testFolder();
    f.write("user/.config/elwood/config.yaml", "state_dir: ./here\n");
    const loaded = await f.load({ env: NO_HOME });
    expect(loaded.paths.home).toBe(join(f.root, "user/.config/elwood/here"));
    expect(loaded.homeOrigin).toBe("config.yaml:1");
    expect(loaded.notices).toEqual([]);
    f.write("named.toml", 'stateDir = "~/there"\n');
    const named = await f.load({ env: NO_HOME, flags: { config: "named.toml" } });
    expect(named.paths.home).toBe(join(f.root, "user/there"));
  });

  test("gives way to what was chosen for this process, which is said", async () => {
    const f = testFolder();
    f.write("home/config.yaml", `state_dir: ${f.root}/else\n`);
    for (const [options, by] of [
      [{}, "environment ELWOOD_HOME"],
      [{ flags: { home: join(f.root, "home") } }, "flag --home"],
      [{ env: { ...NO_HOME, STATE_DIRECTORY: join(f.root, "home") } }, "environment STATE_DIRECTORY"],
    ] as const) {
      const { paths, notices } = await f.load(options);
      expect(paths.home).toBe(join(f.root, "home"));
      expect(notices.map(({ text }) => text)).toEqual([
        `config.yaml:1 \`state_dir\` is not used: the ${by} goes first (${f.root}/home).`,
      ]);
    }
  });

  test("leaves no data and no settings behind in silence", async () => {
    const f = testFolder();
    const usual = "user/.local/state/elwood";
    f.write(`${usual}/config.yaml`, `state_dir: ${f.root}/else\n`);
    f.write(`${usual}/elwood.db`, "");
    f.write("else/config.yaml", "model: demo\n");
    const { paths, notices } = await f.load({ env: NO_HOME });
    expect(paths.home).toBe(join(f.root, "else"));
    expect(notices.map(({ text }) => text)).toEqual([
      `There is data in ${f.root}/${usual}, which is not used: config.yaml:1 \`state_dir\` names ${f.root}/else.`,
      `${f.root}/else/config.yaml is not read: ${f.root}/${usual}/config.yaml goes first.`,
    ]);
  });
});

describe("EL-16: settings in TOML", () => {
  const TEXT = `# what answers
model = "claude-sonnet-4-5-20250929"

[telegram]
allowed_chat_ids = ["1", "2"]

[permissions]
dangerous_patterns = [
  '\\brm\\b', # [not a header]
  """
x = "y"
""",
]
tool_policy.run_command = "ask"

[[prices]]
match = "a/*"
input = 1
output = 2.5
from = 2026-11-01

[[prices]]
match = "b/*"
input = 1
output = 2
`;

  test("are read like those in YAML, each with its line, and a YAML file goes before them", async () => {
    const f = testFolder();
    f.write("home/config.toml", TEXT);
    const { config, origins, places } = await f.load({ nowMs: 0 });
    expect(config.model).toBe("anthropic/claude-sonnet-4-5-20250929");
    expect(config.telegram?.allowedChatIds).toEqual(["1", "2"]);
    expect(config.permissions?.dangerousPatterns).toEqual(["\\brm\\b", 'x = "y"\n']);
    expect(config.permissions?.toolPolicy).toEqual({ run_command: "ask" });
    expect(config.prices[0]).toMatchObject({ match: "a/*", output: 2.5, from: "2026-11-01" });
    expect(origins.get("permissions.toolPolicy.run_command")).toBe("config.toml:14");
    const second = places.get(["prices", "1", "input"].join("\0"));
    expect(second).toMatchObject({ line: 24, column: 1 });
    f.write("home/config.yaml", "model: demo\n");
    expect((await f.load()).notices[0]?.text).toContain("config.toml is not read");
  });

  test("with mistakes are told by line, and nothing of the text around them", async () => {
    const f = testFolder();
    const told = async (text: string) => {
      f.write("home/config.toml", text);
      return f.problems();
    };
    expect(await told('model = "demo"\n[gateway]\nport = "x"\nprot = 1\n')).toEqual([
      expect.stringMatching(/^config\.toml:3 `gateway\.port` must be a whole number/),
      "config.toml:4 `gateway.prot` is not a setting that Elwood knows. Did you mean `gateway.port`?",
    ]);
    const [broken] = await told('a = "canary-secret\nb = 1\n');
    expect(broken).toMatch(/^config\.toml:1 is not valid TOML: .+\.$/);
    expect(broken).not.toContain("canary");
  });

  test("that are endless are stopped, and quoted keys keep their place", () => {
    const deep = `a = ${"[".repeat(100)}${"]".repeat(100)}`;
    expect(parseTomlSettings(deep, "c.toml").problems[0]?.text).toBe(
      "c.toml:1 is nested too deeply or holds too many values.",
    );
    const { root } = parseTomlSettings('[mcp."a.b"]\n  "c\\u0064" = { e = 1 }\n', "c.toml");
    expect(JSON.stringify(root.entries)).toContain('"key":"cd","at":{"line":2,"column":3}');
  });
});

describe("EL-16: tools.yaml", () => {
  test("beside the settings file says what tools may do, by name or in the settings' own groups", async () => {
    const f = testFolder();
    f.write("home/config.yaml", "model: demo\n");
    f.write(
      "home/tools.yaml",
      "run_command: deny\ntool_policy:\n  write_file: ask\npermissions:\n  safe_commands: [ls]\nmcp_servers:\n  files:\n    command: mcp-files\n",
    );
    const { config, rules, origins } = await f.load();
    expect(config.permissions).toMatchObject({
      safeCommands: ["ls"],
      toolPolicy: { run_command: "deny", write_file: "ask" },
    });
    expect(config.mcpServers?.["files"]?.command).toBe("mcp-files");
    expect(rules.map(({ decision, origin }) => [decision, origin])).toEqual([
      ["deny", "tools.yaml:1"],
      ["ask", "tools.yaml:3"],
    ]);
    expect(origins.get("mcpServers.files.command")).toBe("tools.yaml:8");
  });

  test("says nothing about anything else, and nothing that the settings say too", async () => {
    const f = testFolder();
    f.write("home/config.yaml", "permissions:\n  tool_policy:\n    run_command: ask\n");
    f.write("home/tools.yaml", "model: demo\nrun_command: deny\nweb_fetch: sometimes\n");
    expect(await f.problems()).toEqual([
      expect.stringMatching(/^tools\.yaml:1 `model` is neither a tool/),
      expect.stringMatching(/^tools\.yaml:2 .*`permissions.tool_policy.run_command` in config\.yaml:3/),
      expect.stringMatching(/^tools\.yaml:3 `web_fetch` is neither a tool/),
    ]);
  });

  test("in the workspace is not read, because tools can write there", async () => {
    const f = testFolder();
    const path = f.write("home/workspace/tools.yaml", "run_command: allow\n");
    const { rules, notices } = await f.load();
    expect(rules).toEqual([]);
    expect(notices[0]?.text).toContain(`${path} is not read: tools can change`);
  });
});
