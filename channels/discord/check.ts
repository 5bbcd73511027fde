import type { ChannelCheck, ChannelContext } from "@elwood/sdk/channel/channel";
import { z } from "zod";
import { DiscordRest, failureWords } from "./rest.ts";
import { inviteLink, TOKEN, type DiscordSettings } from "./settings.ts";

const userSchema = z.object({ id: z.string(), username: z.string() });
const applicationSchema = z.object({ id: z.string(), flags: z.number().default(0) });
/** The portal allows the content of messages, to a verified bot or to one in few servers. */
const CONTENT_FLAGS = (1 << 18) | (1 << 19);

/** Asks Discord whose token it is, and whether the bot may do what the settings ask for. */
export async function checkAccount({
  settings,
  secrets,
  signal,
}: Pick<ChannelContext<DiscordSettings>, "settings" | "secrets" | "signal">): Promise<ChannelCheck> {
  const token = secrets[TOKEN] ?? "";
  if (token === "") return { ok: false, problem: `There is no token. Set ${TOKEN} to your bot's token.` };
  const rest = await DiscordRest.open({ token, apiRoot: settings.apiRoot });
  const me = await rest.get("/users/@me", { signal });
  if (!me.ok) return { ok: false, problem: failureWords(me.failure) };
  const user = userSchema.safeParse(me.body);
  const own = await rest.get("/applications/@me", { signal });
  if (!own.ok) return { ok: false, problem: failureWords(own.failure) };
  const application = applicationSchema.safeParse(own.body);
  if (!user.success || !application.success)
    return { ok: false, problem: "Discord's answer could not be read. Is discord.apiRoot right?" };
  const { id, flags } = application.data;
  const allowed = (flags & CONTENT_FLAGS) !== 0;
  const notes =
    settings.messageContent && !allowed
      ? [
          "discord.messageContent is on, and the bot may not read messages: Discord will close the connection (4014). Turn on “Message Content Intent” at https://discord.com/developers/applications > your application > Bot, or set discord.messageContent to false.",
        ]
      : [];
  return { ok: true, account: { id: user.data.id, name: user.data.username, link: inviteLink(id) }, notes };
}
