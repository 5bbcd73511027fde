import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "@elwood/platform/system";
import { acquireLock } from "@elwood/platform/lock";
import { configTemplate } from "./config-template.ts";
import { configWriter, managedByNix, type RecordedChange, type SettingsChange } from "./config-writer.ts";
import { keepMode } from "./keep-mode.ts";
import { loadConfig } from "./load.ts";

const OWNER = { id: "owner", surface: "test" };

describe("the writer of the settings", () => {
  let home: string;
  let file: string;
  let secretsFile: string;
  let recorded: RecordedChange[];
  let learned: string[];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "elwood-writer-"));
    file = join(home, "config.yaml");
    secretsFile = join(home, "secrets.env");
    recorded = [];
    learned = [];
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const writer = (
    env: Record<string, string> = {},
    record = async (change: RecordedChange) => void recorded.push(change),
  ) =>
    configWriter({
      load: { env: { ELWOOD_HOME: home, ...env }, cwd: home, userHome: home },
      clock: systemClock,
      learnSecrets: (secrets) => learned.push(...secrets),
      record,
    });
  const set = (key: string, value: unknown) => ({ path: key.split("."), value });
  const change = async (what: SettingsChange, env: Record<string, string> = {}) =>
    writer(env).change(what, OWNER);
  const read = () => readFileSync(file, "utf8");

  test("changes the named settings, keeps every other line and the file's rights, and leaves a receipt", async () => {
    writeFileSync(file, configTemplate("UTC"), { mode: 0o640 });
    const changed = await change({ settings: [set("log.level", "debug"), set("limits.costUsd", undefined)] });
    expect(changed).toMatchObject({ ok: true, value: { file } });
    if (!changed.ok) return;
    expect(changed.value.loaded.config.log.level).toBe("debug");
    expect(changed.value.revision).toBe(await writer().revision());
    expect(read()).toBe(
      configTemplate("UTC").replace("level: info", "level: debug").replace("  costUsd: 2\n", ""),
    );
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(recorded).toEqual([
      { keys: ["log.level"], removed: ["limits.costUsd"], secrets: [], revision: changed.value.revision },
    ]);
  });

  test("says of each setting whether it can be changed, and why not", async () => {
    writeFileSync(file, "log:\n  level: debug\n");
    writeFileSync(join(home, "tools.yaml"), "policy:\n  mode: strict\n");
    const looked = await writer({ ELWOOD_LOG_LEVEL: "warn", BRAVE_SEARCH_API_KEY: "BSA-key" }).look();
    if (!looked.ok) throw new Error(looked.error.message);
    const { fixed, fixedSecret, loaded } = looked.value;
    expect(loaded.config.log.level).toBe("warn");
    expect(fixed(["log", "level"])).toContain("the variable ELWOOD_LOG_LEVEL");
    expect(fixed(["policy", "mode"])).toContain("tools.yaml:2");
    expect(fixed(["limits", "laps"])).toBeUndefined();
    expect(fixedSecret("BRAVE_SEARCH_API_KEY")).toContain("BRAVE_SEARCH_API_KEY is set by");
    expect(fixedSecret("TELEGRAM_BOT_TOKEN")).toBeUndefined();
    rmSync(file);
    writeFileSync(join(home, "config.toml"), 'timeZone = "UTC"\n');
    const toml = await writer().look();
    expect(toml.ok && toml.value.fixed(["limits", "laps"])).toContain("is TOML");
  });

  test("makes a file that only the owner can read where there is none", async () => {
    expect(await change({ settings: [set("log.level", "debug")] })).toMatchObject({ ok: true });
    expect(read()).toBe("log:\n  level: debug\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("changes what is there already under a name of another dialect, and leaves no receipt where nothing changes", async () => {
    writeFileSync(file, "# old\ncompaction_model: demo/demo # small\nheartbeat:\n  interval_minutes: 5\n");
    await change({ settings: [set("compactionModel", "a/b"), set("heartbeat.intervalMinutes", 30)] });
    const after = "# old\ncompaction_model: a/b # small\nheartbeat:\n  interval_minutes: 30\n";
    expect(read()).toBe(after);
    await change({ settings: [set("heartbeat.intervalMinutes", 30)] });
    expect(read()).toBe(after);
    expect(recorded).toHaveLength(1);
  });

  test("keeps a secret in a file of its own, closed to others, and names it in the settings", async () => {
    writeFileSync(file, "# mine\n");
    const settings = [set("telegram.token", "${TELEGRAM_BOT_TOKEN}")];
    const first = await change({ settings, secrets: { TELEGRAM_BOT_TOKEN: "123:abc" } });
    expect(first).toMatchObject({ ok: true });
    expect(read()).toBe("# mine\ntelegram:\n  token: ${TELEGRAM_BOT_TOKEN}\n");
    expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
    expect(learned).toEqual(["123:abc"]);
    expect(JSON.stringify(recorded)).not.toContain("123:abc");
    const loaded = await loadConfig({ env: { ELWOOD_HOME: home }, cwd: home, userHome: home });
    expect(loaded.ok && loaded.value.config.telegram?.token).toBe("123:abc");
    expect(loaded.ok && loaded.value.secretValues).toContain("123:abc");

    await change({ settings: [set("telegram", undefined)], secrets: { TELEGRAM_BOT_TOKEN: undefined } });
    expect(read()).toBe("# mine\n");
    expect(readFileSync(secretsFile, "utf8")).not.toContain("TELEGRAM_BOT_TOKEN=");
  });

  test("does not take secrets that it cannot look at for none, and writes nothing over them", async () => {
    symlinkSync(secretsFile, secretsFile);
    const changed = await change({ settings: [], secrets: { TELEGRAM_BOT_TOKEN: "123:abc" } });
    expect(changed).toMatchObject({
      ok: false,
      error: { reason: "CONFLICT", message: expect.stringContaining("cannot be looked at (ELOOP)") },
    });
    expect(lstatSync(secretsFile).isSymbolicLink()).toBe(true);
    const loaded = await loadConfig({ env: { ELWOOD_HOME: home }, cwd: home, userHome: home });
    expect(loaded).toMatchObject({ ok: false, error: [{ file: secretsFile }] });
  });

  test("refuses a secret in the settings themselves, and one that no key can be", async () => {
    writeFileSync(file, "# mine\n");
    const plain = await change({ settings: [set("hooks", { ci: { secret: "hunter2-hunter2" } })] });
    expect(plain).toMatchObject({ ok: false, error: { reason: "INVALID_INPUT" } });
    expect(JSON.stringify(plain)).not.toContain("hunter2");
    const odd = await change({ settings: [], secrets: { A_KEY: "two words" } });
    expect(odd).toMatchObject({ ok: false, error: { reason: "INVALID_INPUT" } });
    expect(JSON.stringify(odd)).not.toContain("two words");
    expect(read()).toBe("# mine\n");
  });

  test("refuses a setting or secret that the environment decides, and says what to change", async () => {
    writeFileSync(file, "log:\n  level: info\n");
    expect(await change({ settings: [set("log.level", "debug")] }, { ELWOOD_LOG_LEVEL: "warn" })).toEqual({
      ok: false,
      error: expect.objectContaining({
        reason: "SETTING_FIXED",
        message: expect.stringContaining("Change the variable ELWOOD_LOG_LEVEL"),
      }),
    });
    const secret = { settings: [], secrets: { TELEGRAM_BOT_TOKEN: "1:b" } };
    expect(await change(secret, { TELEGRAM_BOT_TOKEN: "1:a" })).toMatchObject({
      error: { reason: "SETTING_FIXED", message: expect.stringContaining("environment TELEGRAM_BOT_TOKEN") },
    });
    expect(read()).toBe("log:\n  level: info\n");
  });

  test("does not write what would not load", async () => {
    writeFileSync(file, "log:\n  level: info\n");
    expect(await change({ settings: [set("log.level", "loud")] })).toMatchObject({
      error: { reason: "INVALID_INPUT", message: expect.stringContaining("must be one of") },
    });
    expect(await change({ settings: [set("nonsense", 1)] })).toMatchObject({
      error: { reason: "INVALID_INPUT", message: expect.stringContaining("not a setting that Elwood knows") },
    });
    writeFileSync(file, "log: [\n");
    expect(await change({ settings: [set("log.level", "debug")] })).toMatchObject({
      error: { reason: "CONFLICT", message: expect.stringContaining("elwood config check") },
    });
    expect(read()).toBe("log: [\n");
    expect(recorded).toEqual([]);
  });

  test("takes a file or setting that was changed meanwhile for a conflict, and leaves it as it is", async () => {
    writeFileSync(file, "log:\n  level: info\n");
    const revision = await writer().revision();
    writeFileSync(file, "log:\n  level: warn\n");
    const settings = [set("log.level", "debug")];
    expect(await change({ settings, revision })).toMatchObject({ error: { reason: "CONFLICT" } });
    const expected = [{ ...settings[0]!, expected: { value: "info" } }];
    expect(await change({ settings: expected })).toMatchObject({ error: { reason: "CONFLICT" } });

    const racing = configWriter({
      load: { env: { ELWOOD_HOME: home }, cwd: home, userHome: home },
      clock: systemClock,
      // By then the file has been read.
      learnSecrets: () => writeFileSync(file, "log:\n  level: error # by an editor\n"),
      record: async () => {},
    });
    const raced = racing.change({ settings, secrets: { A_KEY: "a" } }, OWNER);
    expect(await raced).toMatchObject({ error: { reason: "CONFLICT" } });
    expect(read()).toBe("log:\n  level: error # by an editor\n");
  });

  test("changes nothing, secrets included, where the receipt cannot be written", async () => {
    writeFileSync(file, "log:\n  level: info\n");
    writeFileSync(secretsFile, "B_KEY=b\n", { mode: 0o600 });
    const failing = writer({}, () => Promise.reject(new Error("no receipt")));
    const asked = failing.change({ settings: [set("log.level", "debug")], secrets: { A_KEY: "a" } }, OWNER);
    await expect(asked).rejects.toThrow("no receipt");
    expect(read()).toBe("log:\n  level: info\n");
    expect(readFileSync(secretsFile, "utf8")).toContain("B_KEY=b");
    expect(readFileSync(secretsFile, "utf8")).not.toContain("A_KEY");
  });

  test("writes through a link, and refuses a file that it may not change", async () => {
    const real = join(home, "real");
    mkdirSync(real);
    writeFileSync(join(real, "mine.yaml"), "log:\n  level: info\n");
    symlinkSync(join(real, "mine.yaml"), file);
    await change({ settings: [set("log.level", "debug")] });
    expect(readFileSync(join(real, "mine.yaml"), "utf8")).toBe("log:\n  level: debug\n");
    expect(statSync(file, { throwIfNoEntry: false })).toBeDefined();
    if (process.getuid?.() === 0) return;
    chmodSync(real, 0o500);
    expect(await change({ settings: [set("log.level", "warn")] })).toMatchObject({
      error: { reason: "SETTING_FIXED", message: expect.stringContaining("where that file comes from") },
    });
    chmodSync(real, 0o700);
  });

  test("gives up politely where another change does not end", async () => {
    writeFileSync(file, "log:\n  level: info\n");
    const lock = acquireLock(join(home, "config.lock"))!;
    let slept = 0;
    const waiting = configWriter({
      load: { env: { ELWOOD_HOME: home }, cwd: home, userHome: home },
      clock: { now: () => 0, sleep: async (ms) => void (slept += ms) },
      learnSecrets: () => {},
      record: async () => {},
    });
    expect(await waiting.change({ settings: [set("log.level", "debug")] }, OWNER)).toMatchObject({
      error: { reason: "STORAGE", retryable: true },
    });
    expect(slept).toBeGreaterThanOrEqual(5_000);
    lock.release();
  });

  test("says until when a mode of the policy counts where it cannot be kept", async () => {
    writeFileSync(file, "policy: &p\n  mode: balanced\n");
    expect(await keepMode(writer(), "strict", OWNER)).toEqual({
      kept: false,
      note: expect.stringMatching(/until the next start.*Change it there by hand/),
    });
    writeFileSync(file, "policy:\n  approver: false # nobody\n");
    expect(await keepMode(writer(), "strict", OWNER)).toEqual({ kept: true });
    expect(read()).toBe("policy:\n  approver: false # nobody\n  mode: strict\n");
  });

  test("a file in TOML, and a setting that tools.yaml has, are left to their owner", async () => {
    const toml = join(home, "config.toml");
    writeFileSync(toml, 'model = "demo"\n');
    const refused = await change({ settings: [set("log.level", "debug")] });
    expect(refused).toMatchObject({
      error: {
        message: `${toml} is TOML, which Elwood reads and does not write. Nothing was changed. Change \`log.level\` there, then start Elwood again.`,
      },
    });
    expect(readFileSync(toml, "utf8")).toBe('model = "demo"\n');
    rmSync(toml);
    writeFileSync(join(home, "tools.yaml"), "mcp_servers:\n  mine:\n    command: x\n");
    expect(await change({ settings: [set("mcpServers.other", { command: "y" })] })).toMatchObject({
      error: { message: expect.stringContaining(`is set in ${home}/tools.yaml:1. Nothing was changed.`) },
    });
    expect(recorded).toEqual([]);
  });
});

test("EL-17: settings in the store of Nix are left to the module, whose option is named", () => {
  expect(managedByNix("/nix/store/abc-config.json", ["policy.mode"])).toBe(
    "The settings are managed by Nix. Nothing was changed. Set services.assistant.settings.policy.mode instead, and rebuild.",
  );
  expect(managedByNix("/nix/storehouse/config.json", ["model"])).toBeUndefined();
});
