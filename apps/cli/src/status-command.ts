import { counted } from "@elwood/core/base/relative-time";
import type { LoadedConfig } from "@elwood/gateway/config/load";
import type { GatewayClient } from "@elwood/sdk/client";
import { readGatewayInfo } from "@elwood/gateway/state/discovery";
import { durationText } from "./duration.ts";
import { EXIT, ownName, type Io } from "./io.ts";

/** `elwood status`: what the running gateway does. Exit code 1 where none runs. */
export async function status(
  io: Io,
  loaded: LoadedConfig,
  client: GatewayClient | undefined,
  json: boolean,
): Promise<number> {
  const { home, gatewayInfo } = loaded.paths;
  if (!client) {
    if (json) io.stdout.write(`${JSON.stringify({ running: false, home })}\n`);
    else io.stdout.write(`Elwood is not running on ${home}. Start it with: ${ownName(io.env)} up\n`);
    return EXIT.failed;
  }
  const s = await client.call("gateway.status", {});
  const info = readGatewayInfo(gatewayInfo);
  await client.close();
  if (json) {
    io.stdout.write(`${JSON.stringify({ running: true, home, url: info?.url, pid: info?.pid, ...s })}\n`);
    return EXIT.ok;
  }
  const spent = `$${s.today.costUsd.toFixed(4)} of $${s.limits["dayCostUsd"]}`;
  const rows: [string, string][] = [
    ["version", s.version],
    ["address", `${info?.url ?? "unknown"} (pid ${info?.pid ?? "unknown"})`],
    ["data", home],
    ["up for", durationText(s.uptime * 1000)],
    ["model", s.demo ? `${s.model} (demo: scripted answers)` : s.model],
    ["runs", `${s.runsActive} active, ${s.runsQueued} queued`],
    ["clients", String(s.clients)],
    [
      "today",
      `about ${spent}, ${counted(s.today.tokens, "token")}${s.today.unpriced > 0 ? `, ${counted(s.today.unpriced, "call")} without a known price` : ""}`,
    ],
  ];
  for (const [name, value] of rows) io.stdout.write(`${name.padEnd(8)} ${value}\n`);
  if (s.storage) io.stdout.write(`\n! ${s.storage.text}\n`);
  if (s.modelProblem) io.stdout.write(`\n${s.modelProblem}\n`);
  for (const notice of s.notices) io.stdout.write(`\n! ${notice}\n`);
  return EXIT.ok;
}
