/** A working root for commands, with a state folder beside it that none of them may see. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallFact, ToolAnswer, ToolContext } from "@elwood/sdk/tool";
import { findCage, shellTools, type CageReport, type ShellOptions } from "./index.ts";

/** Set by the test command where it could provide bubblewrap; tests that need a cage skip where none works. */
export const CAGE: CageReport = await findCage();

export const STATE_SECRET = "state-secret-5c1f";

export type Verdict = "allow" | "ask" | "deny";

export interface Scene extends Disposable {
  readonly base: string;
  readonly root: string;
  readonly state: string;
  path(...names: string[]): string;
  put(name: string, text?: string): string;
  git(...args: string[]): void;
  tool(options?: Partial<ShellOptions>): TestTool;
}

export interface TestTool {
  facts(input: object): Promise<readonly CallFact[]>;
  /** As the policy reads the facts: a deny, an ask, a call that does no harm, or the mode's question. */
  verdict(input: object): Promise<Verdict>;
  keys(input: object): Promise<readonly { scope: string; match: object; words: string }[]>;
  preview(input: object): Promise<{ sentence: string; before?: string; after?: string }>;
  run(input: object, more?: { signal?: AbortSignal; progress?: (line: string) => void }): Promise<Ran>;
}

export interface Ran {
  readonly exitCode: number;
  readonly output: string;
  readonly bytes: number;
  readonly truncated: boolean;
  readonly caged: boolean;
  readonly text: string;
}

export const NO_CAGE: CageReport = { ok: false, reason: "bubblewrap (bwrap) is not installed" };

export function makeScene(): Scene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "elwood-shell-")));
  // Another user must get through to the root in it.
  chmodSync(base, 0o755);
  const state = join(base, "state");
  const root = join(state, "files");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(state, "owner-token"), STATE_SECRET);
  const scene: Scene = {
    base,
    root,
    state,
    path: (...names) => join(root, ...names),
    put(name, text = "x\n") {
      mkdirSync(join(root, name, ".."), { recursive: true });
      writeFileSync(join(root, name), text);
      return join(root, name);
    },
    git(...args) {
      const identity = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "init.defaultBranch=main",
      ];
      const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: root, encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    },
    tool: (options = {}) =>
      testTool({
        root,
        writable: true,
        denied: [state],
        autoRun: true,
        dangerousPatterns: [],
        dangerous: "ask",
        envNames: [],
        environment: {},
        timeoutMs: 10_000,
        requireCage: false,
        holdsAgents: false,
        userHome: base,
        isSecret: (names) => names.some((name) => /^(\.env|\.ssh|id_rsa|.*\.pem)$/.test(name)),
        cage: async () => CAGE,
        ...options,
      }),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
  return scene;
}

function testTool(options: ShellOptions): TestTool {
  const [tool] = shellTools(options);
  if (tool === undefined) throw new Error("no tool");
  const checked = (input: object) => {
    const schema = tool.input["~standard"] as {
      validate(value: unknown): { value?: unknown; issues?: unknown };
    };
    const outcome = schema.validate(input);
    if (outcome.issues !== undefined) throw new Error(`invalid: ${JSON.stringify(outcome.issues)}`);
    return outcome.value;
  };
  const facts = async (input: object) => tool.facts!(checked(input), {});
  return {
    facts,
    async verdict(input) {
      const kinds = (await facts(input)).map(({ kind }) => kind);
      if (kinds.includes("deny")) return "deny";
      return kinds.includes("harmless") && !kinds.includes("ask") ? "allow" : "ask";
    },
    keys: async (input) => tool.grantKeys!(checked(input)),
    preview: async (input) => tool.preview!(checked(input), new AbortController().signal, {}),
    async run(input, more = {}) {
      const context: ToolContext = {
        callId: "call-1",
        session: "ses_1",
        idempotencyKey: "key-1",
        signal: more.signal ?? new AbortController().signal,
        progress: more.progress ?? (() => undefined),
        fetch: globalThis.fetch,
        secrets: {},
      };
      const answer = (await tool.handler(checked(input), context)) as ToolAnswer;
      const { text: output, ...ran } = answer.value as Omit<Ran, "output">;
      return { ...ran, output, text: answer.text ?? "" };
    },
  };
}
