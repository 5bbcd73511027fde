import { finding, ok, type Check } from "./finding.ts";

/** As the command line's launcher says it, which cannot share code with what a too old Node could not read. */
const NODE_NEEDED = "24.15";

export const nodeVersion: Check = {
  area: "node",
  async run({ nodeVersion: version }) {
    if (isNewEnough(version)) return [ok("node.version", "Node is new enough.", `v${version}`)];
    return [
      finding(
        "error",
        "node.version",
        `Node is older than ${NODE_NEEDED}, the oldest that Elwood is tested on.`,
        `v${version}`,
        `Install Node ${NODE_NEEDED} or newer; in a checkout, npm ci brings one along.`,
      ),
    ];
  },
};

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [majorNeeded = 0, minorNeeded = 0] = NODE_NEEDED.split(".").map(Number);
  return major > majorNeeded || (major === majorNeeded && minor >= minorNeeded);
}
