import { defineChannel, type ChannelCheck, type ChannelContext } from "@elwood/sdk/channel/channel";
import { FILE_BYTES_MAX } from "./attachments.ts";
import { checkAccount } from "./check.ts";
import { readSettings, TOKEN, type DiscordSettings } from "./settings.ts";

export default defineChannel({
  name: "discord",
  title: "Discord",
  secrets: [TOKEN],
  // Discord asks bots not to let messages grow; an answer comes when it is whole.
  pace: { editMs: { private: 1_500, group: 1_500 }, typingMs: 9_000, streaming: "whole" },
  fileBytesMax: FILE_BYTES_MAX,
  settings: readSettings,
  open: async (context: ChannelContext<DiscordSettings>) => {
    const { DiscordConnection } = await import("./connection.ts");
    return DiscordConnection.open(context);
  },
  check: (context): Promise<ChannelCheck> => checkAccount(context),
});
