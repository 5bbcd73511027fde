import { defineChannel } from "@elwood/sdk/channel/channel";

/** As the group `telegram` of the settings says it; the gateway has checked it. */
export interface TelegramSettings {
  /** Where the Bot API is; another one for a server of one's own. */
  readonly apiRoot: string;
}

const API_ROOT = "https://api.telegram.org";
const MEGABYTE = 1024 * 1024;

/** Telegram, by a bot of the owner's. grammY is loaded when the channel is opened. */
export default defineChannel<TelegramSettings>({
  name: "telegram",
  title: "Telegram",
  secrets: ["TELEGRAM_BOT_TOKEN"],
  // Faster edits earn waits of minutes; groups get twenty messages a minute.
  pace: { editMs: { private: 1_500, group: 4_000 }, typingMs: 4_000, streaming: "edit" },
  // What the Bot API hands out and takes.
  fileBytesMax: { in: 20 * MEGABYTE, out: 50 * MEGABYTE },
  settings: (given) => {
    const { apiRoot = API_ROOT } = (given ?? {}) as { readonly apiRoot?: string };
    return { apiRoot: apiRoot.replace(/\/+$/, "") };
  },
  open: async (context) => (await import("./connection.ts")).openTelegram(context),
  check: async (context) => (await import("./connection.ts")).checkTelegram(context),
});
