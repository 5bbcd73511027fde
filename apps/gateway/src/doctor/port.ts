import { connect } from "node:net";
import { bindFailure } from "../config/bind.ts";
import { portOwner } from "../server/port-owner.ts";
import { readGatewayInfo } from "../state/discovery.ts";
import { finding, ok, type Check } from "./finding.ts";
import { askReady } from "./running-gateway.ts";

const CONNECT_MS_MAX = 500;

/** Whether `elwood up` could listen where it is told to. Nothing is bound: that could get in a starting gateway's way. */
export const port: Check = {
  area: "port",
  async run({ loaded, paths }) {
    if (!loaded.ok) return [];
    const { config, secrets } = loaded.value;
    const { host, port: wanted } = config.gateway;
    const refused = bindFailure(host, secrets.has("ELWOOD_TOKEN"));
    if (refused) {
      const evidence = `gateway.host is ${host}`;
      return [
        finding("error", "port.open", refused.message, evidence, "Set ELWOOD_TOKEN, or host to 127.0.0.1."),
      ];
    }
    if (wanted === 0) return [ok("port.any", "Any free port will do.", "gateway.port is 0")];
    const reach = reachable(host);
    const evidence = `${host}:${wanted}`;
    const info = readGatewayInfo(paths.gatewayInfo);
    const running =
      info && Number(new URL(info.url).port) !== wanted && (await askReady(info.url)) !== "none";
    if (!(await answers(reach, wanted))) {
      if (!running) return [ok("port.free", "The port is free.", evidence)];
      const what = "The gateway runs on another port than the one that is set, which is free.";
      return [ok("port.elsewhere", what, `runs at ${info.url}, set is ${evidence}`)];
    }
    if (info && Number(new URL(info.url).port) === wanted && (await askReady(info.url)) !== "none") {
      return [ok("port.ours", "The port is used by this state directory's own gateway.", evidence)];
    }
    const owner = portOwner(wanted);
    const who = owner ? `pid ${owner.pid} (${owner.name})` : "another program";
    return [
      finding(
        "warning",
        "port.used",
        `The port is used by ${who}, so elwood up would not start.`,
        evidence,
        `Stop that program, or choose another port: elwood up --port ${wanted + 1}`,
      ),
    ];
  },
};

function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" || host === "[::]" ? "::1" : host.replace(/^\[|\]$/g, "");
}

function answers(host: string, wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: wanted, timeout: CONNECT_MS_MAX });
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}
