import { isNewEnough, NODE_NEEDED } from "../../../cli/bin/node-version.mjs";
import { finding, ok, type Check } from "./finding.ts";

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
