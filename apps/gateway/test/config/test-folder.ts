import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig, type LoadedConfig, type LoadOptions } from "../../src/config/load.ts";

/** A scratch directory for one test: `home` in it is the state directory, `user` the user's home. */
export interface TestFolder {
  readonly root: string;
  write(path: string, content: string | Uint8Array, mode?: number): string;
  load(options?: Partial<LoadOptions>): Promise<LoadedConfig>;
  /** The sentences a person would read; none where it loads. */
  problems(options?: Partial<LoadOptions>): Promise<string[]>;
}

export function testFolder(): TestFolder {
  const root = mkdtempSync(join(tmpdir(), "elwood-config-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const load = (options: Partial<LoadOptions>) =>
    loadConfig({
      cwd: root,
      userHome: join(root, "user"),
      ...options,
      env: { ELWOOD_HOME: join(root, "home"), ...options.env },
    });
  return {
    root,
    write(path, content, mode = 0o600) {
      const full = join(root, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content, { mode });
      return full;
    },
    async problems(options = {}) {
      const result = await load(options);
      return result.ok ? [] : result.error.map((problem) => problem.text);
    },
    async load(options = {}) {
      const result = await load(options);
      if (!result.ok) throw new Error(result.error.map((p) => p.text).join("\n"));
      return result.value;
    },
  };
}
