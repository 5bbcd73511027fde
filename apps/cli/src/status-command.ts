import type { LoadedConfig } from "@elwood/gateway/config/load";
import type { GatewayClient } from "@elwood/sdk/client";
import { readGatewayInfo } from "@elwood/gateway/state/discovery";
import { durationText } from "./duration.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { gatewayText, say, sayCount, type Sentence } from "./words/say.ts";

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
    else
      io.stdout.write(
        `${say(io, "Elwood is not running on {0}. Start it with: {1} up", home, ownName(io.env))}\n`,
      );
    return EXIT.failed;
  }
  const s = await client.call("gateway.status", {});
  const info = readGatewayInfo(gatewayInfo);
  await client.close();
  if (json) {
    io.stdout.write(`${JSON.stringify({ running: true, home, url: info?.url, pid: info?.pid, ...s })}\n`);
    return EXIT.ok;
  }
  const spent = say(io, "{0} of {1}", `$${s.today.costUsd.toFixed(4)}`, `$${s.limits["dayCostUsd"]}`);
  const unpriced =
    s.today.unpriced === 0
      ? ""
      : sayCount(io, s.today.unpriced, ", 1 call without a known price", ", {0} calls without a known price");
  const rows: [Sentence, string][] = [
    ["version", s.version],
    ["address", `${info?.url ?? say(io, "unknown")} (pid ${info?.pid ?? say(io, "unknown")})`],
    ["data", home],
    ["up for", durationText(s.uptime * 1000)],
    ["model", s.demo ? say(io, "{0} (demo: scripted answers)", s.model) : s.model],
    ["runs", say(io, "{0} active, {1} queued", s.runsActive, s.runsQueued)],
    ["clients", String(s.clients)],
    [
      "today",
      `${say(io, "about {0}, {1}", spent, sayCount(io, s.today.tokens, "1 token", "{0} tokens"))}${unpriced}`,
    ],
  ];
  for (const [name, value] of rows) io.stdout.write(`${say(io, name).padEnd(8)} ${value}\n`);
  if (s.storage) io.stdout.write(`\n! ${gatewayText(io, s.storage.text)}\n`);
  if (s.modelProblem) io.stdout.write(`\n${gatewayText(io, s.modelProblem)}\n`);
  for (const notice of s.notices) io.stdout.write(`\n! ${gatewayText(io, notice)}\n`);
  return EXIT.ok;
}
