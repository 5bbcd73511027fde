import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { failure } from "@elwood/core/base/failure";
import type { ModelEvent } from "@elwood/core/model/model";
import { err, ok } from "@elwood/core/base/result";
import type { Log, Models } from "@elwood/runtime/ports/ports";
import { prepareHome } from "@elwood/gateway/config/first-run";
import { loadConfig, type LoadOptions } from "@elwood/gateway/config/load";
import { testFolder } from "@elwood/gateway/test/config/test-folder";
import { statePaths, type StatePaths } from "@elwood/platform/state-paths";
import { writeGatewayInfo } from "@elwood/gateway/state/discovery";
import { acquireLock } from "@elwood/platform/lock";
import { systemClock } from "@elwood/platform/system";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { doctor } from "./doctor-command.ts";
import { examine } from "@elwood/gateway/doctor/examine";
import type { DoctorContext, Finding } from "@elwood/gateway/doctor/finding";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { testIo } from "./test-io.ts";

const silent: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
const KEY = "sk-ant-api03-canary-canary-canary-canary";

interface Patient {
  readonly paths: StatePaths;
  readonly context: (more?: Partial<DoctorContext>, load?: Partial<LoadOptions>) => Promise<DoctorContext>;
  /** Findings by id; the last one where several have it. */
  readonly look: (
    more?: Partial<DoctorContext>,
    load?: Partial<LoadOptions>,
  ) => Promise<ReadonlyMap<string, Finding>>;
}

/** A state directory as a first start leaves it, on a port that nobody uses. */
async function patient(): Promise<Patient> {
  const folder = testFolder();
  const home = join(folder.root, "home");
  mkdirSync(home, { mode: 0o700 });
  const paths = statePaths(home);
  const { uid } = statSync(home);
  const loaded = await folder.load();
  await prepareHome(loaded, { userHome: join(folder.root, "user") });
  const stores = await openStores({ paths, clock: systemClock, log: silent });
  await stores.close();
  const context = async (
    more: Partial<DoctorContext> = {},
    load: Partial<LoadOptions> = {},
  ): Promise<DoctorContext> => ({
    loaded: await loadConfig({
      cwd: folder.root,
      userHome: join(folder.root, "user"),
      systemTimeZone: "Europe/Berlin",
      ...load,
      env: { ELWOOD_HOME: home, ELWOOD_PORT: "0", ...load.env },
    }),
    paths,
    clock: systemClock,
    version: "0.1.0",
    nodeVersion: process.versions.node,
    uid,
    systemTimeZone: "Europe/Berlin",
    live: false,
    cage: async () => ({ ok: true }),
    models: async () => Promise.reject(new Error("no model may be called")),
    ...more,
  });
  const look = async (more: Partial<DoctorContext> = {}, load: Partial<LoadOptions> = {}) => {
    const { findings } = await examine(await context(more, load), false);
    return new Map(findings.map((each) => [each.id, each]));
  };
  return { paths, context, look };
}

const problems = (found: ReadonlyMap<string, Finding>) =>
  [...found.values()].filter(({ severity }) => severity === "error" || severity === "warning");

describe("the doctor as a whole", () => {
  test("finds nothing wrong with a state directory fresh from its first start, and changes nothing in it", async () => {
    const { paths, look } = await patient();
    const before = listing(paths.home);
    const found = await look();
    expect(problems(found)).toEqual([]);
    expect([...found.keys()]).toEqual(
      expect.arrayContaining([
        "node.version",
        "state.mode",
        "state.space",
        "config.file",
        "database.sound",
        "transcripts.sound",
        "auth.file",
        "model.demo",
        "workspace.agents",
        "port.any",
        "gateway.stopped",
        "time.zone",
        "time.clock",
      ]),
    );
    expect(listing(paths.home)).toEqual(before);
  });

  test("has only something to say where nothing was ever started", async () => {
    const { paths, look } = await patient();
    rmSync(paths.home, { recursive: true });
    const found = await look();
    expect(problems(found)).toEqual([]);
    expect(found.get("state.missing")?.fix).toContain("elwood up");
    expect(found.get("database.missing")?.severity).toBe("info");
    expect(existsSync(paths.home)).toBe(false);
  });

  test("makes a finding of a check that throws, and goes on with the next", async () => {
    const { context } = await patient();
    const { findings } = await examine(await context(), false, [
      { area: "broken", run: async () => Promise.reject(new Error(`cannot, because ${KEY}`)) },
      {
        area: "fine",
        run: async () => [{ id: "fine.x", severity: "ok", what: "Fine.", evidence: "", fix: "" }],
      },
    ]);
    expect(findings.map(({ id }) => id)).toEqual(["broken.check", "fine.x"]);
    expect(findings[0]).toMatchObject({
      severity: "error",
      evidence: expect.stringContaining("cannot, because") as string,
    });
    expect(JSON.stringify(findings)).not.toContain("canary");
  });

  test("says each finding with its evidence and what to do, and ends with 0 unless it lints", async () => {
    const { context } = await patient();
    const io = testIo({ env: { npm_command: "exec" } });
    expect(await doctor(io, await context({ nodeVersion: "20.1.0" }), { json: false, fix: false })).toBe(
      EXIT.ok,
    );
    expect(io.out()).toContain(
      "✗ Node is older than 24.15, the oldest that Elwood is tested on.\n    v20.1.0\n    → Install Node",
    );
    expect(io.out()).toContain("✓ The database is sound");
    expect(io.out()).toContain("→ Start it with: npx elwood up");
    expect(io.out()).toMatch(/\n1 error\.\n$/);
  });

  test("--json is one document with a stable form", async () => {
    const { context } = await patient();
    const io = testIo();
    await doctor(io, await context(), { json: true, fix: false });
    const document = io.json() as { findings: object[]; counts: Record<string, number>; repairs: unknown[] };
    expect(document.counts).toMatchObject({ error: 0, warning: 0 });
    expect(document.repairs).toEqual([]);
    for (const each of document.findings) {
      expect(Object.keys(each)).toEqual(["id", "severity", "what", "evidence", "fix", "repairable"]);
    }
  });

  test("--lint fails from its threshold on, and shows only what reaches it", async () => {
    const { context, paths } = await patient();
    chmodSync(paths.database, 0o644);
    const lint = async (threshold: boolean | string, more: Partial<DoctorContext> = {}) => {
      const io = testIo();
      const code = await reporting(io, false, async () =>
        doctor(io, await context(more), { json: false, fix: false, lint: threshold }),
      );
      return { code, out: io.out(), err: io.err() };
    };
    expect(await lint(true)).toMatchObject({ code: EXIT.ok });
    expect(await lint("warning")).toMatchObject({ code: EXIT.failed });
    expect((await lint("warning")).out).not.toContain("✓");
    expect(await lint("error", { nodeVersion: "18.0.0" })).toMatchObject({ code: EXIT.failed });
    expect(await lint("info")).toMatchObject({ code: EXIT.failed });
    expect(await lint("loud")).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining("error, warning or info") as string,
    });
  });
});

describe("--fix", () => {
  test("closes what was open, removes a dead gateway's address, says so, and looks again", async () => {
    const { context, paths } = await patient();
    const child = spawnSync(process.execPath, ["-e", ""]);
    writeGatewayInfo(paths.gatewayInfo, {
      pid: child.pid,
      url: "http://127.0.0.1:9",
      startedAt: 0,
      version: "0.1.0",
      mode: "up",
    });
    mkdirSync(paths.keys, { recursive: true, mode: 0o700 });
    writeFileSync(join(paths.keys, "receipts.pub"), "public", { mode: 0o644 });
    writeFileSync(paths.ownerToken, "elw_token", { mode: 0o644 });
    writeFileSync(paths.authProfiles, JSON.stringify({ v: 1, profiles: [], order: {}, secrets: {} }), {
      mode: 0o604,
    });
    chmodSync(paths.home, 0o755);
    const io = testIo();
    expect(await doctor(io, await context(), { json: false, fix: true, lint: "warning" })).toBe(EXIT.ok);
    expect(statSync(paths.home).mode & 0o777).toBe(0o700);
    expect(statSync(paths.ownerToken).mode & 0o777).toBe(0o600);
    expect(statSync(join(paths.keys, "receipts.pub")).mode & 0o777).toBe(0o644);
    expect(statSync(paths.authProfiles).mode & 0o777).toBe(0o600);
    expect(existsSync(paths.gatewayInfo)).toBe(false);
    expect(io.out()).toContain(`Mended: closed ${paths.home} to other users (0700)`);
    expect(io.out()).toContain(`Mended: removed ${paths.gatewayInfo}`);
    expect(io.out()).toContain("Nothing is wrong.");
  });

  test("a repair that does not work is told, and the command fails", async () => {
    const { context } = await patient();
    const { repairs, findings } = await examine(await context(), true, [
      {
        area: "x",
        run: async () => [
          {
            id: "x.y",
            severity: "error",
            what: "Open.",
            evidence: "",
            fix: "",
            repair: { did: "closed it", run: async () => Promise.reject(new Error("EPERM")) },
          },
        ],
      },
    ]);
    expect(repairs).toEqual([{ id: "x.y", did: "closed it", problem: "EPERM" }]);
    expect(findings).toHaveLength(1);
  });

  test("without it, the same state is told and left as it is", async () => {
    const { context, paths } = await patient();
    chmodSync(paths.home, 0o755);
    const io = testIo();
    await doctor(io, await context(), { json: false, fix: false });
    expect(statSync(paths.home).mode & 0o777).toBe(0o755);
    expect(io.out()).toContain(`chmod 700 ${paths.home}`);
    expect(io.out()).toContain("doctor --fix mends one of them");
  });
});

describe("the state directory", () => {
  test("another user's is an error", async () => {
    const { look } = await patient();
    expect((await look({ uid: 4_321 })).get("state.owner")).toMatchObject({ severity: "error" });
  });

  test("a file in its place is an error", async () => {
    const { look, paths } = await patient();
    rmSync(paths.home, { recursive: true });
    writeFileSync(paths.home, "");
    expect((await look()).get("state.kind")).toMatchObject({ severity: "error" });
  });
});

describe("the configuration", () => {
  test("each problem is an error with its file and line", async () => {
    const { context, paths } = await patient();
    writeFileSync(paths.config, "gateway:\n  port: abc\nmodle: x\n", { mode: 0o600 });
    const { findings } = await examine(await context(), false);
    const told = findings.filter(({ id }) => id === "config.problem");
    expect(told.map(({ severity }) => severity)).toEqual(["error", "error"]);
    expect(told.map(({ fix }) => fix)).toEqual([
      `Edit ${paths.config}, line 2.`,
      `Edit ${paths.config}, line 3.`,
    ]);
    expect(findings.find(({ id }) => id === "model.unknown")?.severity).toBe("info");
  });

  test("a key that does nothing yet is only said", async () => {
    const { look, paths } = await patient();
    writeFileSync(paths.config, "security:\n  auditLog: true\n", { mode: 0o600 });
    expect((await look()).get("config.no-effect")).toMatchObject({ severity: "info" });
  });
});

describe("the database", () => {
  test("is looked at while a gateway has it open", async () => {
    const { look, paths } = await patient();
    const stores = await openStores({ paths, clock: systemClock, log: silent });
    await stores.sessions.create("default", {
      id: "ses_01k9zzzzzzaaaaaaaaaaaaaaa1",
      agentId: "assistant",
      title: "x",
      at: 1,
    });
    expect((await look()).get("database.sound")?.evidence).toMatch(/schema \d+/);
    await stores.sessions.rename("default", "ses_01k9zzzzzzaaaaaaaaaaaaaaa1", "still writable", "owner");
    await stores.close();
  });

  test("damage is an error that names the backups", async () => {
    const { look, paths } = await patient();
    const bytes = readFileSync(paths.database);
    bytes.fill(0x5a, 4096, 4096 * 3);
    writeFileSync(paths.database, bytes);
    expect((await look()).get("database.damaged")).toMatchObject({
      severity: "error",
      fix: expect.stringContaining(paths.backups) as string,
    });
    truncateSync(paths.database, 10);
    expect((await look()).get("database.damaged")).toMatchObject({ severity: "error" });
  });

  test("one from a newer Elwood, and one that is not Elwood's, are errors", async () => {
    const { look, paths } = await patient();
    const db = new DatabaseSync(paths.database);
    db.exec("PRAGMA user_version = 999");
    db.close();
    expect((await look()).get("database.newer")).toMatchObject({ severity: "error" });
    rmSync(paths.database);
    const other = new DatabaseSync(paths.database);
    other.exec("CREATE TABLE recipes (name TEXT)");
    other.close();
    expect((await look()).get("database.foreign")).toMatchObject({ severity: "error" });
  });
});

test("each unreadable line of a conversation is named by file and line", async () => {
  const { look, paths, context } = await patient();
  const folder = join(paths.sessions, "default");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const line = { v: 1, id: "m", run: "r", i: 0, n: 1, ts: 1, role: "user", origin: "owner", blocks: [] };
  const file = join(folder, "ses_x.jsonl");
  writeFileSync(file, `${JSON.stringify(line)}\nnonsense\n${JSON.stringify(line)}\n{"v":1,"id`, {
    mode: 0o600,
  });
  const { findings } = await examine(await context(), false);
  const told = findings.filter(({ id }) => id === "transcripts.damage");
  expect(told.map(({ evidence }) => evidence.split(" ")[0])).toEqual([`${file}:2`, `${file}:4`]);
  expect(told.map(({ severity }) => severity)).toEqual(["warning", "warning"]);
  writeFileSync(file, "x\n".repeat(50));
  expect((await look()).get("transcripts.damage")?.what).toBe(
    "30 more lines of conversations cannot be read.",
  );
});

describe("stored model keys", () => {
  const write = (paths: StatePaths, profile: object, mode = 0o600) =>
    writeFileSync(
      paths.authProfiles,
      JSON.stringify({
        v: 1,
        profiles: [
          {
            id: "anthropic:default",
            provider: "anthropic",
            type: "api_key",
            secretRef: "x",
            createdAt: 1,
            ...profile,
          },
        ],
        order: {},
        secrets: { "anthropic:default": { type: "api_key", key: KEY } },
      }),
      { mode },
    );

  test("an expired one is told, with the command that replaces it", async () => {
    const { look, paths } = await patient();
    write(paths, { expiresAt: 1_000 });
    expect((await look()).get("auth.expired")).toMatchObject({
      severity: "warning",
      fix: "elwood auth anthropic",
    });
    write(paths, { expiresAt: Date.now() + 86_400_000 });
    expect((await look()).get("auth.expiring")).toMatchObject({ severity: "warning" });
    write(paths, { cooldownUntil: Date.now() + 86_400_000 });
    expect((await look()).get("auth.resting")).toMatchObject({ severity: "info" });
  });

  test("a file open to others is told and not touched, and nothing of it is shown", async () => {
    const { paths, context } = await patient();
    write(paths, {}, 0o644);
    const io = testIo();
    await doctor(io, await context(), { json: true, fix: false });
    expect(io.out()).toContain('"auth.mode"');
    expect(io.out()).not.toContain("canary");
    expect(statSync(paths.authProfiles).mode & 0o777).toBe(0o644);
  });

  test("a file that cannot be understood is an error that quotes nothing", async () => {
    const { paths, look } = await patient();
    writeFileSync(paths.authProfiles, `{"v":1,"profiles":[${KEY}`, { mode: 0o600 });
    const found = await look();
    expect(found.get("auth.broken")).toMatchObject({
      severity: "error",
      what: "The file with the model keys is not valid JSON.",
    });
    expect(JSON.stringify([...found.values()])).not.toContain("canary");
  });
});

test("settings that stand in the first start's file with their defaults are not the owner's own", async () => {
  const { look, paths } = await patient();
  const usual = await look({}, { env: { ELWOOD_PORT: "" } });
  expect(usual.get("config.file")?.evidence).toBe(
    `${paths.config}, nothing differs from what Elwood comes with`,
  );
  writeFileSync(paths.config, "policy:\n  mode: strict\n", { mode: 0o600 });
  // What a variable sets stands in no file.
  const changed = await look({}, { env: { ELWOOD_PORT: "", ELWOOD_LOG_LEVEL: "debug" } });
  expect(changed.get("config.file")?.evidence).toBe(`${paths.config}, 1 setting of your own`);
});

describe("the model", () => {
  test("of the running gateway is believed where this shell has no key of its own", async () => {
    const { look } = await patient();
    const found = await look({ answering: async () => "anthropic/claude-sonnet-5-5" });
    expect(found.has("model.demo")).toBe(false);
    expect(found.get("model.chosen")).toMatchObject({
      severity: "ok",
      what: "anthropic/claude-sonnet-5-5 answers.",
      evidence: "as the running gateway says; its key is not known to this shell",
    });
    for (const answering of [async () => "demo/scripted", async () => "none", async () => undefined])
      expect((await look({ answering })).has("model.demo")).toBe(true);
  });

  test("is named with the reason why it is that one", async () => {
    const { look } = await patient();
    const byKey = await look({}, { env: { ANTHROPIC_API_KEY: KEY } });
    expect(byKey.get("model.chosen")?.evidence).toContain(
      "no model is set, and anthropic has a key (ANTHROPIC_API_KEY)",
    );
    const byVariable = await look(
      {},
      { env: { ANTHROPIC_API_KEY: KEY, ELWOOD_MODEL: "anthropic/claude-opus-5" } },
    );
    expect(byVariable.get("model.chosen")).toMatchObject({ what: "anthropic/claude-opus-5 answers." });
    expect(byVariable.get("model.chosen")?.evidence).toContain("set by environment ELWOOD_MODEL");
    expect((await look()).get("model.demo")?.evidence).toContain("no provider has a key");
  });

  test("is the one that the owner chose, as it is for a run; the configuration goes before that", async () => {
    const { look, paths } = await patient();
    const profile = {
      id: "home-llm:default",
      provider: "home-llm",
      type: "api_key",
      secretRef: "auth-profiles.json#home-llm:default",
      createdAt: 1,
      baseUrl: "http://127.0.0.1:9/v1",
    };
    const file = {
      v: 1,
      profiles: [profile],
      order: {},
      secrets: { [profile.id]: { type: "api_key", key: KEY } },
    };
    writeFileSync(paths.authProfiles, JSON.stringify(file), { mode: 0o600 });
    const unchosen = await look();
    expect(unchosen.get("model.demo")?.evidence).toContain(
      "home-llm is connected, but none of its models is chosen",
    );
    expect(unchosen.get("model.demo")?.fix).toBe(
      `Choose a model of home-llm: on the page under Models & keys, or with this line in ${join(paths.home, "config.yaml")}: model: home-llm/NAME`,
    );
    const named = { ...file, profiles: [{ ...profile, model: "big" }] };
    writeFileSync(paths.authProfiles, JSON.stringify(named), { mode: 0o600 });
    expect((await look()).get("model.demo")?.fix).toMatch(/: model: home-llm\/big$/);
    writeFileSync(paths.chosenModel, "home-llm/small\n", { mode: 0o600 });
    const found = await look();
    expect(found.get("model.demo")).toBeUndefined();
    expect(found.get("model.chosen")).toMatchObject({
      what: "home-llm/small answers.",
      evidence: "chosen by you; key from auth-profiles.json",
    });
    const keyless = { ...named, secrets: { [profile.id]: { type: "api_key", key: "" } } };
    writeFileSync(paths.authProfiles, JSON.stringify(keyless), { mode: 0o600 });
    expect((await look()).get("model.chosen")).toMatchObject({
      what: "home-llm/small answers, without a key.",
      evidence: "chosen by you",
    });
    const configured = await look({}, { env: { ELWOOD_MODEL: "ollama/qwen3" } });
    expect(configured.get("model.chosen")?.what).toBe("ollama/qwen3 answers, without a key.");
  });

  test("without a key, or at no known address, is an error that says how to connect it", async () => {
    const { look } = await patient();
    const keyless = await look({}, { env: { ELWOOD_MODEL: "openai/gpt-5.4" } });
    expect(keyless.get("model.key")).toMatchObject({ severity: "error", fix: "elwood auth openai" });
    const nowhere = await look({}, { env: { ELWOOD_MODEL: "mine/llama" } });
    expect(nowhere.get("model.address")).toMatchObject({ severity: "error" });
    const local = await look({}, { env: { ELWOOD_MODEL: "ollama/qwen3" } });
    expect(local.get("model.chosen")).toMatchObject({ severity: "ok" });
  });

  test("near its end of life is a warning, past it an error, each said once", async () => {
    const { context } = await patient();
    const env = { ANTHROPIC_API_KEY: KEY, ELWOOD_MODEL: "anthropic/claude-sonnet-4-5" };
    for (const [nowMs, severity] of [
      [Date.UTC(2026, 9, 1), "warning"],
      [Date.UTC(2027, 0, 1), "error"],
    ] as const) {
      const looked = await context({ clock: { now: () => nowMs } }, { env, nowMs });
      const { findings } = await examine(looked, false);
      const told = findings.filter(
        ({ what }) => what.includes("claude-sonnet-4-5") && what.includes("working on"),
      );
      expect(told).toMatchObject([{ id: "model.life", severity }]);
    }
  });

  const answering = (event: ModelEvent): Models => ({
    resolve: async () =>
      ok({
        ref: { provider: "demo", model: "scripted" },
        maxOutputTokens: 100,
        demo: true,
        provider: {
          id: "demo",
          async *chat() {
            yield event;
          },
        },
      }),
  });
  const usage = { inputTokens: 9, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

  test("is called only with --live, and then its answer or its failure is told", async () => {
    const { look } = await patient();
    expect((await look()).has("model.live")).toBe(false);
    const done: ModelEvent = { type: "done", stopReason: "end_turn", blocks: [], usage, model: "scripted" };
    const good = await look({ live: true, models: async () => answering(done) });
    expect(good.get("model.live")).toMatchObject({
      severity: "ok",
      evidence: expect.stringContaining("10 tokens") as string,
    });
    const failed: ModelEvent = {
      type: "failed",
      failure: failure("AUTH", "The key was refused."),
      blocks: [],
    };
    const bad = await look({ live: true, models: async () => answering(failed) });
    expect(bad.get("model.live")).toMatchObject({ severity: "error", evidence: "AUTH" });
    const none: Models = { resolve: async () => err(failure("NO_MODEL", "No key is set.")) };
    expect((await look({ live: true, models: async () => none })).get("model.live")).toMatchObject({
      severity: "error",
    });
  });
});

describe("the gateway and its port", () => {
  async function listen(status: number, body: object): Promise<number> {
    const server = createServer((_request, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as { port: number }).port;
  }
  const info = (port: number, version = "0.1.0") =>
    ({ pid: process.pid, url: `http://127.0.0.1:${port}`, startedAt: 1, version, mode: "up" }) as const;

  test("a running gateway is ready, and the port is its own", async () => {
    const { look, paths } = await patient();
    const port = await listen(200, { status: "ready", uptime: 1 });
    writeGatewayInfo(paths.gatewayInfo, info(port));
    const found = await look({}, { env: { ELWOOD_PORT: String(port) } });
    expect(found.get("gateway.ready")?.evidence).toContain(`127.0.0.1:${port}`);
    expect(found.get("port.ours")).toMatchObject({ severity: "ok" });
  });

  test("one of another version, and one that is only starting, are warnings", async () => {
    const { look, paths } = await patient();
    writeGatewayInfo(paths.gatewayInfo, info(await listen(200, { status: "ready" }), "0.0.9"));
    expect((await look()).get("gateway.version")).toMatchObject({ severity: "warning" });
    writeGatewayInfo(paths.gatewayInfo, info(await listen(503, { status: "starting" })));
    expect((await look()).get("gateway.not-ready")?.what).toContain("starting");
  });

  test("one that holds the lock but does not answer is an error, and its address stays", async () => {
    const { look, paths } = await patient();
    const lock = acquireLock(paths.gatewayLock)!;
    onTestFinished(() => lock.release());
    writeGatewayInfo(paths.gatewayInfo, info(9));
    expect((await look()).get("gateway.silent")).toMatchObject({ severity: "error" });
    rmSync(paths.gatewayInfo);
    expect((await look()).get("gateway.between")).toMatchObject({ severity: "info" });
  });

  test("looking does not take the lock away from a gateway that starts", async () => {
    const { look, paths } = await patient();
    acquireLock(paths.gatewayLock)!.release();
    await look();
    const lock = acquireLock(paths.gatewayLock);
    expect(lock).toBeDefined();
    lock?.release();
  });

  test("a gateway that runs on another port than the one that is set is said to", async () => {
    const { look, paths } = await patient();
    const port = await listen(200, { status: "ready", uptime: 1 });
    writeGatewayInfo(paths.gatewayInfo, info(port));
    const found = await look({}, { env: { ELWOOD_PORT: "9" } });
    expect(found.get("port.free")).toBeUndefined();
    expect(found.get("port.elsewhere")?.evidence).toBe(
      `runs at http://127.0.0.1:${port}, set is 127.0.0.1:9`,
    );
  });

  test("a port in other hands is a warning with another port to try", async () => {
    const { look } = await patient();
    const port = await listen(404, {});
    const found = await look({}, { env: { ELWOOD_PORT: String(port) } });
    expect(found.get("port.used")).toMatchObject({
      severity: "warning",
      fix: expect.stringContaining(`--port ${port + 1}`) as string,
    });
  });

  test("a host beyond this machine without the owner's token is an error", async () => {
    const { look } = await patient();
    expect((await look({}, { env: { ELWOOD_HOST: "0.0.0.0" } })).get("port.open")).toMatchObject({
      severity: "error",
    });
  });
});

describe("the workspace", () => {
  test("a missing file is said, an oversized one is a warning, a broken agent an error", async () => {
    const { look, paths } = await patient();
    rmSync(join(paths.workspace, "TOOLS.md"));
    writeFileSync(join(paths.workspace, "SOUL.md"), "x".repeat(70_000));
    const found = await look();
    expect(found.get("workspace.file")).toMatchObject({
      severity: "info",
      evidence: join(paths.workspace, "TOOLS.md"),
    });
    expect(found.get("workspace.large")).toMatchObject({
      severity: "warning",
      what: expect.stringContaining("SOUL.md") as string,
    });
    writeFileSync(join(paths.workspace, "agent.yaml"), "model: [not, a, model");
    expect((await look()).get("workspace.agent")).toMatchObject({ severity: "error" });
  });
});

describe("time", () => {
  test("a clock from before Elwood, or set back since it wrote its files, is told", async () => {
    const { look, paths } = await patient();
    expect((await look({ clock: { now: () => 0 } })).get("time.clock")).toMatchObject({
      severity: "error",
      evidence: expect.stringMatching(/^it says \w+ 19(?:69-12-31|70-01-01) /),
    });
    const ahead = { now: () => Date.now() + 2 * 365 * 24 * 60 * 60_000 };
    expect((await look({ clock: ahead })).get("time.clock")).toMatchObject({ severity: "info" });
    const later = Date.now() / 1000 + 86_400;
    utimesSync(paths.database, later, later);
    expect((await look()).get("time.clock")).toMatchObject({ severity: "warning" });
  });

  test("a machine that names no place is told, unless the owner set the zone", async () => {
    const { look, paths } = await patient();
    rmSync(paths.config);
    const utc = { systemTimeZone: "UTC" };
    expect((await look(utc, utc)).get("time.zone")).toMatchObject({ severity: "info" });
    writeFileSync(paths.config, "timeZone: Asia/Tokyo\n", { mode: 0o600 });
    expect((await look(utc, utc)).get("time.zone")).toMatchObject({
      severity: "ok",
      what: "Your time zone is Asia/Tokyo.",
    });
  });
});

function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => {
      const { mode, size, mtimeMs } = statSync(join(folder, String(name)));
      return `${String(name)} ${mode} ${size} ${mtimeMs}`;
    })
    .sort();
}

describe("commands", () => {
  test("run in a cage, or it is said what is missing, what follows and what to do", async () => {
    const { look } = await patient();
    expect((await look()).get("commands.cage")).toMatchObject({ severity: "ok" });
    const without = (reason: string) => look({ cage: async () => ({ ok: false, reason }) });
    expect((await without("bubblewrap (bwrap) is not installed")).get("commands.cage")).toMatchObject({
      severity: "warning",
      what: expect.stringContaining("none runs unasked") as string,
      fix: expect.stringContaining("apt install bubblewrap") as string,
    });
    const broken = await without("bubblewrap is there but cannot build a cage (No permissions)");
    expect(broken.get("commands.cage")?.fix).toContain("user namespaces");
  });
});
