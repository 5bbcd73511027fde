import { join } from "node:path";
import { findIntegrations } from "@elwood/isolation/tool-host/integration-files";
import { finding, ok, type Check, type Finding } from "./finding.ts";

/** Whether the tools in the workspace can be read, and whether the system keeps them from the network. Nothing of them is run. */
export const ownTools: Check = {
  area: "tools",
  async run({ loaded, cage }) {
    if (!loaded.ok) return [];
    const toolsDir = join(loaded.value.workspaceDir, "tools");
    const found = await findIntegrations(toolsDir);
    if (found.length === 0) return [];
    const findings: Finding[] = found.flatMap(({ name, files }) =>
      files.ok
        ? []
        : [
            finding(
              "warning",
              "tools.folder",
              `The tools in ${join(toolsDir, name)} cannot be used.`,
              files.error,
              "Mend that, then: elwood tools check",
            ),
          ],
    );
    const names = found.map(({ name }) => name).join(", ");
    const report = await cage();
    if (report.ok) {
      const what = "Tools of yours have no network but for the hosts they declare.";
      return [...findings, ok("tools.network", what, `bubblewrap; ${names}`)];
    }
    const what =
      "That tools of yours reach only the hosts they declare is not enforced here: they could open other connections.";
    return [
      ...findings,
      finding(
        "warning",
        "tools.network",
        what,
        `${names}; ${report.reason}`,
        "Install bubblewrap, or read what you put there with that in mind.",
      ),
    ];
  },
};
