import { readGatewayInfo, removeGatewayInfo, type GatewayInfo } from "../state/discovery.ts";
import { isHeld } from "@elwood/platform/lock";
import { finding, ok, type Check, type Finding } from "./finding.ts";

const ANSWER_MS_MAX = 2_000;
const SET_TOKEN = "Set ELWOOD_TOKEN, or ELWOOD_TOKEN_FILE to a file that has it.";

/** Whether a gateway runs on this state directory and is ready; what a dead one left behind. */
export const runningGateway: Check = {
  area: "gateway",
  async run({ paths, version, signsIn }) {
    const info = readGatewayInfo(paths.gatewayInfo);
    if (!info) {
      if (isHeld(paths.gatewayLock)) {
        const fix = "If it does not come up in a minute, look for Elwood's process and stop it.";
        const what = "A gateway is starting or stopping on this state directory.";
        return [finding("info", "gateway.between", what, paths.gatewayLock, fix)];
      }
      return [
        finding("info", "gateway.stopped", "No gateway is running.", paths.home, "Start it with: elwood up"),
      ];
    }
    const answer = await askReady(info.url);
    if (answer === "none") return [silent(info, paths.gatewayInfo, paths.gatewayLock)];
    const evidence = `${info.url}, pid ${info.pid}, version ${info.version}`;
    if (answer !== "ready") {
      const fix = "Wait a moment, then run the doctor again.";
      return [
        finding(
          "warning",
          "gateway.not-ready",
          `The gateway runs but is not ready (${answer}).`,
          evidence,
          fix,
        ),
      ];
    }
    if (signsIn && !(await signsIn())) {
      const what = "The gateway is running and ready, but this shell has no valid token.";
      return [finding("warning", "gateway.token", what, evidence, SET_TOKEN)];
    }
    const running = ok("gateway.ready", "The gateway is running and ready.", evidence);
    if (info.version === version) return [running];
    const fix = "Stop it and start it again: elwood up";
    const what = `The running gateway has version ${info.version}, this command ${version}.`;
    return [running, finding("warning", "gateway.version", what, evidence, fix)];
  },
};

/** What `/readyz` says: `ready`, another word, or `none` where nobody answers. */
export async function askReady(url: string): Promise<string> {
  try {
    const response = await fetch(new URL("/readyz", url), {
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      redirect: "error",
    });
    const body: unknown = await response.json();
    if (typeof body !== "object" || body === null || !("status" in body)) return "none";
    return response.ok && body.status === "ready" ? "ready" : String(body.status).slice(0, 40);
  } catch {
    // Refused, timed out, not HTTP, not JSON: whoever is there is not our gateway in working order.
    return "none";
  }
}

function silent(info: GatewayInfo, infoPath: string, lockPath: string): Finding {
  const evidence = `${infoPath} names ${info.url}, pid ${info.pid}`;
  if (isHeld(lockPath)) {
    const fix = `Look at what it does (pid ${info.pid}), then stop it: kill ${info.pid}. Unfinished runs are taken up at the next start.`;
    return finding(
      "error",
      "gateway.silent",
      "A gateway holds the state directory but does not answer.",
      evidence,
      fix,
    );
  }
  return finding(
    "warning",
    "gateway.stale",
    "A gateway that is gone left its address behind.",
    evidence,
    "The next start writes it again; or now: elwood doctor --fix",
    { did: `removed ${infoPath}`, run: async () => removeGatewayInfo(infoPath, info.pid) },
  );
}
