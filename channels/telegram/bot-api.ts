import { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { ChannelAccount } from "@elwood/sdk/channel/channel";
import type { TelegramSettings } from "./index.ts";

/** A request other than the long poll; after that nobody knows of it. */
const REQUEST_SECONDS = 30;

export const WEBHOOK_SET =
  "Another program receives this bot's messages by a webhook, so Elwood does not get them. Make a bot of its own for Elwood with @BotFather, or remove the webhook (deleteWebhook).";

/** grammY's types know another AbortSignal than Node's; both have what is used. */
export function asSignal(signal: AbortSignal): Parameters<Api["getMe"]>[0] {
  return signal as unknown as Parameters<Api["getMe"]>[0];
}

export function accountOf(me: UserFromGetMe): ChannelAccount {
  return { id: String(me.id), name: me.username, link: `https://t.me/${me.username}` };
}

export function apiOf(token: string, { apiRoot }: TelegramSettings, timeoutSeconds = REQUEST_SECONDS): Api {
  return new Api(token, { apiRoot, timeoutSeconds });
}
