import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolProvisions } from "../../src/tools/register-tool.ts";
import { sha256, systemClock } from "@elwood/platform/system";
import type { HandlerContext, RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { CageReport } from "@elwood/platform/bubblewrap";
import type { WorkspaceLimits } from "@elwood/isolation/tool-host/limits";
import { ToolWorkspace } from "@elwood/isolation/tool-host/tool-workspace";

export interface WorkspaceScene extends Disposable {
  readonly folder: string;
  readonly workspace: ToolWorkspace;
  readonly registry: ToolRegistry;
  /** Writes a file of the workspace's `tools`, by way of a rename. */
  put(path: string, text: string): void;
  remove(path: string): void;
  /** Reads the folder anew, and answers what is wrong with it. */
  load(): Promise<string[]>;
  tool(id: string): RegisteredTool;
  call(id: string, input: unknown, more?: Partial<HandlerContext>): ReturnType<RegisteredTool["handle"]>;
}

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
export const UNCAGED: CageReport = { ok: false, reason: "not in this test" };

/** A workspace in a folder of its own, and the table that its tools stand in. */
export function workspaceScene(
  options: {
    provisions?: Pick<ToolProvisions, "fetch" | "secret">;
    limits?: Partial<WorkspaceLimits>;
    clock?: Clock;
    cage?: () => Promise<CageReport>;
    entry?: URL;
    folder?: string;
  } = {},
): WorkspaceScene {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "elwood-workspace-"));
  const workspace = new ToolWorkspace({
    workspaceDir: folder,
    cacheDir: join(folder, "cache"),
    version: "1",
    clock: options.clock ?? systemClock,
    log: quiet,
    cage: options.cage ?? (async () => UNCAGED),
    ...(options.limits && { limits: options.limits }),
    ...(options.entry && { entry: options.entry }),
  });
  const registry = new ToolRegistry(async () => [{ source: "workspace", tools: await workspace.load() }], {
    sha256,
    ...options.provisions,
  });
  const tool = (id: string) => {
    const found = registry.toolSnapshot().get(id);
    expect(found, id).toBeDefined();
    return found!;
  };
  return {
    folder,
    workspace,
    registry,
    tool,
    put(path, text) {
      const file = join(folder, "tools", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    },
    remove: (path) => rmSync(join(folder, "tools", path), { recursive: true }),
    async load() {
      const { problems } = await registry.reload();
      const { problemLine } = await import("@elwood/isolation/tool-host/module-problem");
      return [...workspace.problems.map(problemLine), ...problems];
    },
    call: (id, input, more) =>
      tool(id).handle(input, {
        callId: "call_1",
        sessionId: "ses_1",
        idempotencyKey: "key_1",
        signal: new AbortController().signal,
        progress: () => {},
        ...more,
      }),
    [Symbol.dispose]() {
      workspace.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A module with one tool, whose handler is the given code. */
export function moduleOf(
  id: string,
  handler: string,
  more: { readonly options?: string; readonly top?: string; readonly input?: string } = {},
): string {
  return `import { defineTool, ToolError, result, err } from "@elwood/sdk/tool";
import { z } from "zod";
${more.top ?? ""}
export default defineTool({
  id: ${JSON.stringify(id)},
  description: "For a test.",
  risk: "write",
  input: ${more.input ?? "z.object({ text: z.string().optional() })"},
  ${more.options ?? ""}
  async handler(input, ctx) {
    ${handler}
  },
});
`;
}
