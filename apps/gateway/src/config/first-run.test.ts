import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FailureError } from "@elwood/core/base/failure";
import { expect, test } from "vitest";
import { skillCatalog } from "../agents/skills.ts";
import { ensureHome } from "./paths.ts";
import { prepareHome, TEMPLATES_DIR, WORKSPACE_TEMPLATES } from "./first-run.ts";
import { testFolder } from "../../test/config/test-folder.ts";

test("JV-10: a first run writes config.yaml (0600) in a closed state directory (0700), and it says the defaults", async () => {
  const f = testFolder();
  const before = await f.load({ systemTimeZone: "Europe/Berlin" });
  const { configWritten, templatesCopied, notices } = await prepareHome(before);
  expect(configWritten).toBe(join(f.root, "home", "config.yaml"));
  expect(statSync(configWritten!).mode & 0o777).toBe(0o600);
  expect(statSync(join(f.root, "home")).mode & 0o777).toBe(0o700);
  expect(templatesCopied).toEqual([...WORKSPACE_TEMPLATES]);
  expect(notices).toEqual([]);
  const after = await f.load({ systemTimeZone: "Europe/Berlin" });
  expect(after.config).toEqual(before.config);
  expect(after.origins.get("gateway.port")).toBe("config.yaml:15");
  expect(after.notices).toEqual([]);
  expect(readdirSync(join(f.root, "home")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("every line of the written file that stands behind # works once it is uncommented", async () => {
  const f = testFolder();
  const { configWritten } = await prepareHome(await f.load());
  const commented = readFileSync(configWritten!, "utf8");
  const setting = /^(\s*)# (\s*(?:- )?[a-zA-Z-]+:.*)$/;
  const uncommented = commented
    .split("\n")
    // A sentence that ends in a colon and a command is no setting.
    .map((line) => (/elwood (config|auth)/.test(line) ? line : line.replace(setting, "$1$2")))
    .join("\n");
  writeFileSync(configWritten!, uncommented);
  const { config } = await f.load();
  expect(config.model).toBe("anthropic/claude-sonnet-5-5");
  expect(config.providers["my-server"]?.api).toBe("chat");
  expect(config.prices).toHaveLength(1);
  expect(config.limits.laps).toBe(40);
});

test("a second run writes nothing, keeps what the owner wrote, and does not bring back what they removed", async () => {
  const f = testFolder();
  await prepareHome(await f.load());
  const soul = join(f.root, "home/workspace/SOUL.md");
  writeFileSync(soul, "mine");
  rmSync(join(f.root, "home/workspace/TOOLS.md"));
  const again = await prepareHome(await f.load());
  expect(again).toEqual({ templatesCopied: [], notices: [] });
  expect(readFileSync(soul, "utf8")).toBe("mine");
  expect(readdirSync(join(f.root, "home/workspace")).sort()).toEqual([
    "AGENTS.md",
    "HEARTBEAT.md",
    "SOUL.md",
    "skills",
    "tools",
  ]);
  // What is there says how to write one, and is none.
  expect(readFileSync(join(f.root, "home/workspace/skills/README.md"), "utf8")).toContain("SKILL.md");
  expect(await skillCatalog(join(f.root, "home/workspace")).of(undefined)).toMatchObject({
    skills: [{ name: "elwood" }],
    problems: [],
  });
});

test("a first run beside an existing SOUL.md adds the others and leaves it alone", async () => {
  const f = testFolder();
  f.write("home/workspace/SOUL.md", "mine");
  const { templatesCopied } = await prepareHome(await f.load());
  expect(templatesCopied).toEqual(["AGENTS.md", "TOOLS.md", "HEARTBEAT.md"]);
  expect(readFileSync(join(f.root, "home/workspace/SOUL.md"), "utf8")).toBe("mine");
});

test("a configuration elsewhere is enough: none is written beside it", async () => {
  const f = testFolder();
  f.write("user/.config/elwood/config.yaml", "model: demo\n");
  const { configWritten } = await prepareHome(await f.load());
  expect(configWritten).toBeUndefined();
  expect(readdirSync(join(f.root, "home")).sort()).toEqual(["files", "workspace"]);
});

test("two first runs at once make one file", async () => {
  const f = testFolder();
  const loaded = await f.load();
  const runs = await Promise.all([prepareHome(loaded), prepareHome(loaded), prepareHome(loaded)]);
  expect(runs.filter((run) => run.configWritten !== undefined)).toHaveLength(1);
  expect((await f.load()).config.gateway.port).toBe(18_789);
});

test("a state directory that cannot be made is a sentence that says what to do", async () => {
  const f = testFolder();
  f.write("file", "");
  const loaded = await f.load({ env: { ELWOOD_HOME: join(f.root, "file", "home") } });
  const failed = await prepareHome(loaded).catch((cause: unknown) => cause);
  expect(failed).toBeInstanceOf(FailureError);
  expect((failed as FailureError).failure.reason).toBe("STORAGE");
  expect((failed as FailureError).message).toContain("ELWOOD_HOME=/path");
});

test("the user's own home directory is refused as a state directory", async () => {
  const f = testFolder();
  const loaded = await f.load({ env: { ELWOOD_HOME: join(f.root, "user") } });
  await expect(prepareHome(loaded, { userHome: join(f.root, "user") })).rejects.toThrow(/one of its own/);
});

test("a state directory that others can enter is closed, and that is told", async () => {
  const f = testFolder();
  await prepareHome(await f.load());
  chmodSync(join(f.root, "home"), 0o755);
  const { notices } = await prepareHome(await f.load());
  expect(notices.map((n) => n.text)).toEqual([expect.stringContaining("was open to other users")]);
  expect(statSync(join(f.root, "home")).mode & 0o777).toBe(0o700);
});

test("a workspace of the owner's choosing that cannot be made is told, and stops nothing", async () => {
  const f = testFolder();
  f.write("file", "");
  const loaded = await f.load({ flags: { workspace: join(f.root, "file", "workspace") } });
  const { notices, configWritten } = await prepareHome(loaded);
  expect(configWritten).toBeDefined();
  expect(notices).toEqual([expect.objectContaining({ kind: "warning", key: "agents.workspaceDir" })]);
});

test("EL-8: the templates that come with Elwood stay far below the budget of the base prompt", () => {
  const text = WORKSPACE_TEMPLATES.map((name) => readFileSync(join(TEMPLATES_DIR, name), "utf8")).join(
    "\n\n",
  );
  // Four characters a token is generous for English; the whole base prompt has 3,000 tokens.
  expect(text.length / 4).toBeLessThan(900);
  expect(text).toMatch(/honest/i);
});

test("EL-17: a home of a service's own user may be the state directory, one of a person's may not", async () => {
  const f = testFolder();
  const home = join(f.root, "service");
  mkdirSync(join(home, "workspace"), { recursive: true, mode: 0o700 });
  mkdirSync(join(home, ".cache"));
  expect(await ensureHome(home, home)).toEqual({ tightened: false });
  f.write("service/letter.odt", "Dear Ada");
  await expect(ensureHome(home, home)).rejects.toThrow("it needs one of its own");
  // Once it is Elwood's, whatever else lies there.
  f.write("service/elwood.db", "");
  expect(await ensureHome(home, home)).toEqual({ tightened: false });
  chmodSync(home, 0o755);
  await expect(ensureHome(home, home)).rejects.toThrow("it needs one of its own");
});
