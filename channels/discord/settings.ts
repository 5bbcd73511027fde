import { z } from "zod";

const schema = z.looseObject({
  messageContent: z.boolean().default(false),
  apiRoot: z.url({ protocol: /^https?$/ }).default("https://discord.com/api"),
  gatewayUrl: z.url({ protocol: /^wss?$/ }).optional(),
});

export interface DiscordSettings {
  /** Read all messages, not only private ones and mentions. The portal has to allow it. */
  readonly messageContent: boolean;
  readonly apiRoot: string;
  /** Where the gateway is, if not where Discord says. */
  readonly gatewayUrl?: string;
}

export function readSettings(given: unknown): DiscordSettings {
  const { messageContent, apiRoot, gatewayUrl } = schema.parse(given ?? {});
  return {
    messageContent,
    apiRoot: apiRoot.replace(/\/+$/, ""),
    ...(gatewayUrl === undefined ? {} : { gatewayUrl }),
  };
}

export const TOKEN = "DISCORD_BOT_TOKEN";

const INTENTS = { guilds: 1, guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 };

/** None of them is privileged, except for the content of messages that are not for the bot. */
export function intentsFor({ messageContent }: DiscordSettings): number {
  const { guilds, guildMessages, directMessages } = INTENTS;
  return guilds | guildMessages | directMessages | (messageContent ? INTENTS.messageContent : 0);
}

/** What the bot needs in a server, and nothing else. */
const PERMISSIONS: readonly bigint[] = [
  10n, // View Channels
  11n, // Send Messages
  15n, // Attach Files
  16n, // Read Message History
  35n, // Create Public Threads
  38n, // Send Messages in Threads
];

/** The page on which somebody adds the bot to a server. */
export function inviteLink(applicationId: string): string {
  const permissions = PERMISSIONS.reduce((sum, bit) => sum | (1n << bit), 0n);
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

/** Why Discord closed the gateway for good, and what to do about it. */
export function refusalWords(code: number, settings: DiscordSettings): string {
  if (code === 4014 && settings.messageContent)
    return "Discord closed the connection (4014): discord.messageContent is on, and the bot may not read messages. Turn on “Message Content Intent” at https://discord.com/developers/applications > your application > Bot, or set discord.messageContent to false; private messages and mentions work without it.";
  if (code === 4014)
    return "Discord closed the connection (4014): it does not allow the bot the events that it asks for. Look at https://discord.com/developers/applications > your application > Bot > Privileged Gateway Intents.";
  if (code === 4011)
    return "Discord closed the connection (4011): the bot is in so many servers that it needs several connections, which Elwood does not make. Remove it from servers, or create a bot of its own for Elwood.";
  return `Discord closed the connection (${code}) and would do so again. Elwood may be too old for it: update Elwood, and report the code if that does not help.`;
}
