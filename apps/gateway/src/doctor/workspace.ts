import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@elwood/runtime/ports/ports";
import { folderAgents } from "../agents/folder-agents.ts";
import { WORKSPACE_TEMPLATES } from "../config/first-run.ts";
import { counted } from "@elwood/core/base/relative-time";
import { finding, ok, type Check, type Finding } from "./finding.ts";
import { isMissingPath } from "@elwood/platform/system-error";

/** The agents' folders: there, readable, and short enough to be read whole. */
export const workspace: Check = {
  area: "workspace",
  async run({ loaded }) {
    if (!loaded.ok) return [];
    const { workspaceDir, config } = loaded.value;
    if (!(await isThere(workspaceDir))) {
      const fix = "The first start makes it: elwood up";
      return [finding("info", "workspace.missing", "There is no workspace yet.", workspaceDir, fix)];
    }
    const warned: string[] = [];
    const agents = folderAgents({
      workspaceDir,
      defaultAgentId: config.agents.default,
      log: collecting(warned),
    });
    const listed = await agents.list();
    const findings: Finding[] = [
      ...listed.flatMap(({ id, problem }) =>
        problem === undefined
          ? []
          : [
              finding(
                "error",
                "workspace.agent",
                `The agent ${id} cannot run. ${problem}`,
                workspaceDir,
                "Mend that file.",
              ),
            ],
      ),
      ...[...new Set(listed.flatMap(({ skillProblems = [] }) => skillProblems))].map((what) =>
        finding(
          "warning",
          "workspace.skill",
          what,
          workspaceDir,
          "Mend that file; until then the skill is left out.",
        ),
      ),
      ...warned.map((what) =>
        finding(
          "warning",
          "workspace.large",
          `${sentence(what)}.`,
          workspaceDir,
          "Shorten it, or move details into other files.",
        ),
      ),
      ...(await missingFiles(workspaceDir)),
    ];
    if (!findings.some(({ severity }) => severity === "error")) {
      const names = listed.map(({ id }) => id).join(", ");
      findings.unshift(
        ok("workspace.agents", "The agents can be read.", `${counted(listed.length, "agent")}: ${names}`),
      );
    }
    return findings;
  },
};

/** Each may be missing on purpose, so this is only said. */
async function missingFiles(folder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of WORKSPACE_TEMPLATES) {
    // Without it there is nothing to look at, which is what most people want.
    if (name === "HEARTBEAT.md") continue;
    const path = join(folder, name);
    if (await isThere(path)) continue;
    const what = `The workspace has no ${name}; the assistant does without.`;
    findings.push(finding("info", "workspace.file", what, path, "Write one if you miss it."));
  }
  return findings;
}

function collecting(warned: string[]): Log {
  const warn = (message: string) => warned.push(message);
  return { error: warn, warn, info: () => undefined, debug: () => undefined };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if (isMissingPath(cause)) return false;
    throw cause;
  }
}
