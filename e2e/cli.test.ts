import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { elwood, type ElwoodOptions, type Ended } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Wire } from "./conformance/wire.ts";

function newHome(): string {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}

const json = ({ stdout }: Ended) => JSON.parse(stdout) as Record<string, unknown>;

describe("with a running gateway", () => {
  let gateway: GatewayProcess;
  const run = (...args: string[]) => elwood(args, { home: gateway.home });
  beforeAll(async () => {
    gateway = await startGatewayProcess();
  });
  afterAll(() => gateway.kill());

  test("EL-1: status says what it does, on one page and as JSON; without one it exits with 1", async () => {
    const { code, stdout } = await run("status");
    expect(code).toBe(0);
    for (const words of [gateway.url, gateway.home, "demo: scripted answers", "0 active"])
      expect(stdout).toContain(words);
    expect(json(await run("status", "--json"))).toMatchObject({ running: true, demo: true, runsActive: 0 });
    const home = newHome();
    expect(await elwood(["status"], { home })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("elwood up"),
    });
    expect(json(await elwood(["status", "--json"], { home }))).toEqual({ running: false, home });
  });

  test("open prints a link that logs a browser in, once", async () => {
    const { code, stdout } = await run("open", "--no-browser");
    expect(code).toBe(0);
    const ticket = new URL(stdout.trim()).hash.slice("#t=".length);
    const login = () =>
      fetch(`${gateway.url}/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ticket }),
      });
    expect((await login()).status).toBe(200);
    expect((await login()).status).toBe(401);
    expect(await elwood(["open"], { home: newHome() })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("elwood up"),
    });
  });

  test("JV-12: sessions are listed, shown, found, exported, renamed, deleted and brought back", async () => {
    await run("my favourite colour is heliotrope");
    const listed = json(await run("sessions", "list", "--json")) as { sessions: { sessionKey: string }[] };
    const key = listed.sessions[0]!.sessionKey;
    expect((await run("sessions")).stdout).toContain("my favourite colour");
    expect((await run("sessions", "show", key)).stdout).toMatch(/You ·[^]*heliotrope[^]*Assistant ·/);
    expect((await run("sessions", "search", "heliotrope")).stdout).toContain(key.slice(-8));

    const file = join(gateway.home, "export.md");
    expect((await run("sessions", "export", key, "-o", file)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("heliotrope");
    expect((await run("sessions", "export", key, "-o", file)).code).not.toBe(0);
    const exported = json(await run("sessions", "export", key, "-f", "json"));
    expect(JSON.stringify(exported)).toContain("heliotrope");

    expect((await run("sessions", "rename", key, "Colours", "of", "mine")).code).toBe(0);
    expect((await run("sessions", "list", "-q", "colours of mine")).stdout).toContain(key.slice(-8));
    const unasked = await run("sessions", "delete", "Colours of mine");
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect((await run("sessions", "delete", "Colours of mine", "--yes")).code).toBe(0);
    expect((await run("sessions", "search", "heliotrope")).stdout).not.toContain(key.slice(-8));
    expect((await run("sessions", "list", "--deleted")).stdout).toContain("Colours of mine");
    expect((await run("sessions", "restore", key)).code).toBe(0);
    expect((await run("sessions", "show", "Colours of mine")).stdout).toContain("heliotrope");
  });

  test("a token is shown once, opens the socket with its scopes, and is over when revoked", async () => {
    const created = await run("token", "create", "--name", "kitchen", "--scope", "chat");
    const token = created.stdout.trim();
    expect(created.stdout).toMatch(/^elw_\S+\n$/);
    const wire = await Wire.authenticated(gateway.url, token);
    expect((await wire.ask("tokens.list")).error).toMatchObject({ data: { reason: "SCOPE_MISSING" } });
    const list = await run("token", "list");
    expect(list.stdout).toMatch(/kitchen +chat/);
    expect(list.stdout).not.toContain(token);
    expect((await run("token", "revoke", "kitchen")).code).toBe(0);
    expect(await wire.closeCode()).toBe(1008);
    expect((await run("token", "revoke", "kitchen")).code).toBe(1);
  });

  test("doctor finds nothing wrong, and --lint says so by its exit code", async () => {
    const linted = await run("doctor", "--json", "--lint");
    expect(linted.code).toBe(0);
    expect(json(linted)).toMatchObject({ counts: { error: 0 }, findings: expect.any(Array) });
    const home = newHome();
    writeFileSync(join(home, "config.yaml"), "gateway:\n  port: eighty\n");
    const broken = await elwood(["doctor", "--json", "--lint"], { home });
    expect(broken.code).toBe(1);
    expect(JSON.stringify(json(broken))).toContain("config.yaml:2");
  });
});

describe("configuration", () => {
  /** The example of the resident assistant's design, as it is written there. */
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
mcp_servers:
  filesystem:
    command: "npx"
    args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/user/docs"]
`;

  function configured(text: string): ElwoodOptions {
    const home = newHome();
    writeFileSync(join(home, "config.yaml"), text);
    return { home };
  }

  test("EL-16: show --origin says of each value whether a flag, the environment, the file or nobody set it", async () => {
    const { home } = configured("gateway:\n  port: 19001\nlimits:\n  minutes: 3\n");
    const env = { ELWOOD_PORT: "19002", ANTHROPIC_API_KEY: "sk-ant-canary-000000000000" };
    const { code, stdout } = await elwood(["config", "show", "--origin"], { home, env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/gateway\.port +19002 +environment ELWOOD_PORT/);
    expect(stdout).toMatch(/limits\.minutes +3 +config\.yaml:4/);
    expect(stdout).toMatch(/limits\.laps +\d+ +default/);
    expect(stdout).toMatch(/home +\S+ +environment ELWOOD_HOME/);
    expect(stdout).not.toContain("sk-ant-canary");
    const flagged = await elwood(["config", "show", "--origin", "--home", home], { home: newHome() });
    expect(flagged.stdout).toMatch(/home +\S+ +flag --home/);
    expect(flagged.stdout).toMatch(/gateway\.port +19001/);
  });

  test("EL-16: the resident assistant's example is fine as it is, and what is not used of it is said aloud", async () => {
    const { code, stdout, stderr } = await elwood(["config", "check"], configured(RESIDENT_EXAMPLE));
    expect({ code, stdout: stdout.includes("is fine") }).toEqual({ code: 0, stdout: true });
    expect(stderr).toContain("config.yaml:3 `state_dir` is not used: the environment ELWOOD_HOME goes first");
    expect(stderr).toContain("`filesystem` is disabled");
    expect(stderr).toContain("claude-sonnet-4-5-20250929");
  });

  test("mistakes are told with file and line, what was found and what was meant; nothing starts", async () => {
    const wrong = configured("modle: x\ngateway:\n  port: 80a\nheartbeat:\n  interval_minutes: 30m\n");
    const { code, stderr } = await elwood(["config", "check"], wrong);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "config.yaml:1 `modle` is not a setting that Elwood knows. Did you mean `model`?",
    );
    expect(stderr).toMatch(/config\.yaml:3 `gateway\.port` must be a whole number.*found "80a"/);
    expect(stderr).toMatch(/config\.yaml:5 `heartbeat\.interval_minutes`.*found "30m"\. Did you mean 30\?/);
    for (const args of [["up", "--no-open"], ["hello"]])
      expect(await elwood(args, wrong)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("config.yaml:3"),
      });
  });
});

describe("keys", () => {
  const KEY = "sk-ant-api03-a-key-from-a-pipe-1234";

  test("a key is tried with one live call, saved closed to others only if that works, then used, and never shown", async () => {
    const server = await startAnthropic();
    onTestFinished(() => server.close());
    const home = newHome();
    const env = { ANTHROPIC_BASE_URL: server.url };
    const file = join(home, "auth-profiles.json");
    const add = () => elwood(["auth", "anthropic", "--key-stdin"], { home, env, stdin: `${KEY}\n` });

    server.will(anthropic.error(401));
    const refused = await add();
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/refused|401/) });
    expect(() => statSync(file)).toThrow("ENOENT");

    server.will(anthropic.reply("ok"));
    expect((await add()).code).toBe(0);
    expect(server.last().headers["x-api-key"]).toBe(KEY);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    server.will(anthropic.reply("With your key."));
    expect((await elwood(["hello"], { home, env })).stdout).toBe("With your key.\n");
    expect(server.last().headers["x-api-key"]).toBe(KEY);

    const shown = await Promise.all(
      [
        ["auth", "list"],
        ["auth", "list", "--json"],
        ["config", "show"],
        ["doctor", "--json"],
      ].map((args) => elwood(args, { home, env })),
    );
    expect(shown[0]!.stdout).toContain("anthropic");
    for (const { stdout, stderr } of [refused, ...shown]) expect(stdout + stderr).not.toContain(KEY);

    expect((await elwood(["auth", "remove", "anthropic"], { home, env })).code).toBe(0);
    expect(readFileSync(file, "utf8")).not.toContain(KEY);
    server.assertDone();
  });

  test("a server of one's own is connected by its address, asked by its name, and answers where nothing else is chosen", async () => {
    const server = await startAnthropic();
    onTestFinished(() => server.close());
    server.will(anthropic.reply("ok"), anthropic.reply("From home."), anthropic.reply("From home again."));
    const home = newHome();
    const add = [
      "auth",
      "home-llm",
      "--base-url",
      server.url,
      "--api",
      "anthropic",
      "-m",
      "claude-sonnet-5-5",
    ];
    const added = await elwood([...add, "--key-stdin"], { home, stdin: KEY });
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toContain('home-llm/claude-sonnet-5-5 answers now. Talk to it: elwood "hello"\n');
    const asked = await elwood(["-m", "home-llm/claude-sonnet-5-5", "hello"], { home });
    expect(asked.stdout).toBe("From home.\n");
    expect((await elwood(["hello"], { home })).stdout).toBe("From home again.\n");
    expect((await elwood(["doctor"], { home })).stdout).toContain("home-llm/claude-sonnet-5-5 answers.");
    server.assertDone();
  });
});

describe("for programs and people", () => {
  test("sessions show and export have nothing in them that was meant for the model only", async () => {
    await using gateway = await startGatewayProcess();
    const run = async (...args: string[]) => (await elwood(args, { home: gateway.home })).stdout;
    mkdirSync(join(gateway.home, "files"), { recursive: true });
    writeFileSync(join(gateway.home, "files", "notes.txt"), "milk and eggs\n");
    await run("remember that my car is a blue Volvo");
    // The index follows a moment after the note: until then there is nothing to recall.
    await expect.poll(() => run("memory", "search", "Volvo")).toContain("blue Volvo");
    await run("what car do I drive, the Volvo?");
    await run("read notes.txt");
    const MODEL_ONLY =
      /[Uu]ntrusted (?:text|[0-9a-f]{4})|\[end [0-9a-f]{4}|Also on record|looked into its memory|use it as a hint/;
    for (const command of ["show", "export"]) {
      const asked = await run("sessions", command, "what car do I drive");
      expect(asked).toMatch(/Memory · [^]*you, note “remembered”: my car is a blue Volvo/);
      expect(asked).not.toMatch(MODEL_ONLY);
      expect(await run("sessions", command, "read notes.txt")).not.toMatch(MODEL_ONLY);
    }
    expect(await run("sessions", "export", "read notes.txt")).toContain(
      ": done\n\n```\nmilk and eggs\n```\n",
    );
  });

  test("a misspelt command of a group is named, with the one that was meant", async () => {
    const home = newHome();
    const { code, stderr } = await elwood(["sessions", "serach", "words"], { home });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'There is no command "sessions serach". Did you mean "search"?\nTo say it to the assistant, write: elwood -- "sessions serach words"\n',
    });
  });

  test("completion prints a script for each shell, and protocol schema the whole protocol", async () => {
    const home = newHome();
    for (const shell of ["bash", "zsh", "fish"])
      expect((await elwood(["completion", shell], { home })).stdout).toContain("sessions");
    const schema = json(await elwood(["protocol", "schema"], { home })) as {
      methods: Record<string, unknown>;
    };
    expect(Object.keys(schema.methods)).toEqual(expect.arrayContaining(["health.check", "chat.send"]));
    const help = await elwood(["help", "sessions", "export"], { home });
    expect(help.stdout).toContain("Usage: elwood sessions export");
    expect((await elwood(["--version"], { home })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
