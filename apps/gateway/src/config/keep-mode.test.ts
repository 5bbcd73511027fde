import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepMode } from "./keep-mode.ts";
import { configTemplate } from "./config-template.ts";
import { loadConfig } from "./load.ts";

describe("a mode that is to stay", () => {
  let home: string;
  let file: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "elwood-mode-"));
    file = join(home, "config.yaml");
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const load = async (env: Record<string, string> = {}) => {
    const loaded = await loadConfig({ env: { ELWOOD_HOME: home, ...env }, cwd: home, userHome: home });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
    return loaded.value;
  };

  test("is written into the settings, and nothing else in them changes", async () => {
    const text = configTemplate("UTC");
    writeFileSync(file, text);
    expect(await keepMode(await load(), "trusting")).toEqual({ kept: true });
    const written = readFileSync(file, "utf8");
    expect(written.split("\n").filter((line, at) => line !== text.split("\n")[at])).toHaveLength(1);
    expect((await load()).config.policy.mode).toBe("trusting");
  });

  test.each([
    ["", "policy:\n  mode: strict\n"],
    ["# mine\nmodel: demo/demo", "# mine\nmodel: demo/demo\npolicy:\n  mode: strict\n"],
    ["policy:\n  approver: false # nobody\n", "policy:\n  mode: strict\n  approver: false # nobody\n"],
    ["policy:\n  mode: 'balanced' # so\n", "policy:\n  mode: strict # so\n"],
  ])("is put where it belongs in %j", async (before, after) => {
    writeFileSync(file, before);
    expect(await keepMode(await load(), "strict")).toEqual({ kept: true });
    expect(readFileSync(file, "utf8")).toBe(after);
  });

  test("is not kept where the file is not written line by line, and the owner is told what to do", async () => {
    writeFileSync(file, "{ policy: { approver: true } }\n");
    const kept = await keepMode(await load(), "strict");
    expect(kept).toEqual({ kept: false, note: expect.stringContaining("set policy.mode to strict in") });
    expect(readFileSync(file, "utf8")).toBe("{ policy: { approver: true } }\n");
  });

  test.skipIf(process.getuid?.() === 0)("is not kept where the folder cannot be written to", async () => {
    writeFileSync(file, "policy:\n  mode: balanced\n");
    const loaded = await load();
    chmodSync(home, 0o500);
    expect(await keepMode(loaded, "strict")).toMatchObject({ kept: false });
    chmodSync(home, 0o700);
  });
});
