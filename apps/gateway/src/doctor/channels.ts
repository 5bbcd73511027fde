import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import { hasChannels } from "../channels/channel-settings.ts";
import { finding, ok, type Check, type Finding } from "./finding.ts";

const LOOK = "Look at it again with: elwood channels list";

/**
 * How chat services are doing, by the running gateway: a token that is refused, another program that uses the
 * same bot, something that is not switched on at the platform. Only the gateway knows; where none runs, nothing
 * is asked of anybody.
 */
export const channels: Check = {
  area: "channels",
  async run({ loaded, channels: ask }) {
    const shown = await ask?.();
    if (shown !== undefined)
      return shown.flatMap((channel) => [...channelFinding(channel), ...undeliveredFinding(channel)]);
    if (!loaded.ok || !hasChannels(loaded.value)) return [];
    const what = "A chat service is set up, and no gateway listens to it.";
    return [finding("info", "channels.idle", what, loaded.value.file ?? "", "Start it with: elwood up")];
  },
};

function undeliveredFinding({ name, title, undelivered }: WireChannel): Finding[] {
  if (undelivered === undefined) return [];
  const { count, problem } = undelivered;
  const what = `${count === 1 ? "A reply" : `${count} replies`} to ${title} could not be delivered. ${problem}`;
  const read = "Read what was not delivered on the page, under Attention.";
  return [finding("warning", `channels.${name}.undelivered`, what.trim(), title, read)];
}

function channelFinding({ name, title, state, problem, account, tokenFrom }: WireChannel): Finding[] {
  if (state === "off") return [];
  const id = `channels.${name}`;
  const evidence = tokenFrom === undefined ? title : `token from ${tokenFrom}`;
  if (state === "connected" && problem === undefined) {
    const who = account === undefined ? "" : ` as ${account.name}`;
    return [ok(id, `${title} is connected${who}.`, evidence)];
  }
  if (state === "connecting") return [finding("info", id, `${title} is being connected.`, evidence, LOOK)];
  const what = problem ?? `${title} is not connected, and does not say why.`;
  return [finding(state === "failed" ? "error" : "warning", id, what, evidence, LOOK)];
}
