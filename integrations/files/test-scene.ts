/** A folder to try the tools in, with things around it that they must not touch. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import type { CallFact, Preview, ToolAnswer, ToolContext, ToolDefinition } from "@elwood/sdk/tool";
import { filesTools, type FilesOptions } from "./index.ts";

export interface Scene extends Disposable {
  readonly base: string;
  /** The first root. */
  readonly root: string;
  readonly outside: string;
  readonly state: string;
  readonly home: string;
  readonly undoDir: string;
  path(...names: string[]): string;
  tools(options?: Partial<FilesOptions>): TestTools;
}

export interface TestTools {
  readonly all: readonly ToolDefinition[];
  facts(action: string, input: object): Promise<readonly CallFact[]>;
  preview(action: string, input: object): Promise<Preview>;
  run(action: string, input: object, options?: CallOptions): Promise<ToolAnswer>;
  undo(action: string, input: object, output: unknown): Promise<ToolAnswer>;
  reconcile(action: string, input: object, key: string): Promise<string>;
}

interface CallOptions {
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly undoPromised?: boolean;
}

export const OUTSIDE_SECRET = "outside-secret-7f3a";

export function makeScene(): Scene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "elwood-files-")));
  const at = (name: string) => {
    mkdirSync(join(base, name), { recursive: true });
    return join(base, name);
  };
  const scene = {
    base,
    home: at("home"),
    root: at("home/work"),
    outside: at("outside"),
    state: at("home/.state"),
  };
  writeFileSync(join(scene.outside, "secret.txt"), OUTSIDE_SECRET);
  const undoDir = join(scene.state, "undo");
  return {
    ...scene,
    undoDir,
    path: (...names) => join(scene.root, ...names),
    tools: (options = {}) =>
      testTools(
        filesTools({
          roots: [{ path: scene.root, write: true }],
          denied: [scene.state],
          undoDir,
          home: scene.home,
          documents: directDocuments(),
          ...options,
        }),
      ),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

function testTools(all: readonly ToolDefinition[]): TestTools {
  let calls = 0;
  const context = (options: CallOptions = {}): ToolContext => ({
    callId: `call-${++calls}`,
    session: "ses_1",
    idempotencyKey: options.key ?? `key-${calls}`,
    signal: options.signal ?? new AbortController().signal,
    ...(options.undoPromised === true && { undoPromised: true }),
    progress: () => undefined,
    fetch: () => Promise.reject(new Error("no file tool reaches the web")),
    secrets: {},
  });
  const get = (action: string) => {
    const tool = all.find(({ id }) => id === `files.file.${action}`);
    if (tool === undefined) throw new Error(`no tool ${action}`);
    return tool;
  };
  return {
    all,
    facts: async (action, input) => get(action).facts!(await checked(get(action).input, input), {}),
    preview: async (action, input) =>
      get(action).preview!(await checked(get(action).input, input), new AbortController().signal, {}),
    async run(action, input, options) {
      const tool = get(action);
      const answer = (await tool.handler(await checked(tool.input, input), context(options))) as ToolAnswer;
      await checked(tool.output!, answer.value);
      return answer;
    },
    undo: async (action, input, output) =>
      (await get(action).undo!(await checked(get(action).input, input), output, context())) as ToolAnswer,
    reconcile: async (action, input, key) =>
      get(action).reconcile!(await checked(get(action).input, input), key),
  };
}

/** As the gateway does before it hands anything to a tool. */
async function checked(schema: ToolDefinition["input"], value: unknown): Promise<unknown> {
  const standard = schema["~standard"] as { validate(value: unknown): unknown };
  const outcome = (await standard.validate(value)) as {
    value?: unknown;
    issues?: readonly { message: string }[];
  };
  if (outcome.issues) throw new Error(`invalid: ${outcome.issues.map((issue) => issue.message).join("; ")}`);
  return outcome.value;
}
