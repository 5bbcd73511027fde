import { join } from "node:path";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { integrationNames } from "./integration-files.ts";
import type { CageReport } from "@elwood/platform/bubblewrap";
import { ToolWorkspace, type ToolWorkspaceOptions } from "./tool-workspace.ts";

/** The owner's tools, as the rest of the gateway sees them. */
export interface WorkspaceTools {
  readonly toolsDir: string;
  /** For a start: the tools whose contracts are known already. Starts no process. */
  known(): Promise<readonly ToolDefinition[]>;
  /** Whether `known` left something out that only a process can tell. */
  readonly unread: boolean;
  load(): Promise<readonly ToolDefinition[]>;
  /** What could not be loaded, with file and line; a sentence each. */
  problems(): readonly string[];
  network(): Promise<CageReport>;
  /** The full implementation, for checks and tests of single integrations. */
  whole(): ToolWorkspace;
  close(): void;
}

/** Looks at nothing but the folder while the workspace has no tools. */
export function openWorkspaceTools(options: ToolWorkspaceOptions): WorkspaceTools {
  const toolsDir = join(options.workspaceDir, "tools");
  let there: ToolWorkspace | undefined;
  let unread = false;
  const whole = () => (there ??= new ToolWorkspace(options));
  // An unreadable folder is reported, so it does not count as empty.
  const names = () => integrationNames(toolsDir).catch(() => ["."]);
  const isEmpty = async () => there === undefined && (await names()).length === 0;
  return {
    toolsDir,
    whole,
    get unread() {
      return unread;
    },
    async known() {
      if (await isEmpty()) return [];
      const known = await whole().known();
      unread = known.unread.length > 0;
      return known.tools;
    },
    async load() {
      unread = false;
      return (await isEmpty()) ? [] : whole().load();
    },
    problems: () => there?.problemSentences() ?? [],
    network: () => options.cage(),
    close: () => there?.close(),
  };
}
