import type { LoadedConfig } from "../config/load.ts";

/** Settings that every channel has; it may have more of its own. */
export interface ChannelSettings {
  readonly token?: string | undefined;
  readonly approverIds?: readonly string[] | undefined;
  readonly allowedChatIds?: readonly string[] | undefined;
}

/** The group of settings with a channel's name. */
export function settingsOf(
  { config }: Pick<LoadedConfig, "config">,
  name: string,
): ChannelSettings | undefined {
  const groups: Readonly<Record<string, ChannelSettings | undefined>> = {
    telegram: config.telegram,
    discord: config.discord,
  };
  return groups[name];
}

/** Each channel's token by the name of its variable. */
const TOKENS: Readonly<Record<string, string>> = {
  telegram: "TELEGRAM_BOT_TOKEN",
  discord: "DISCORD_BOT_TOKEN",
};

/** The token of a channel, and where it is from; a setting goes before a variable, since it names one itself. */
export function tokenOf(
  loaded: Pick<LoadedConfig, "config" | "secrets" | "origins">,
  name: string,
): { readonly value: string; readonly source: string } | undefined {
  const set = settingsOf(loaded, name)?.token;
  const secret = loaded.secrets.get(TOKENS[name] ?? "");
  if (set !== undefined && set !== "" && set !== secret?.value)
    return { value: set, source: loaded.origins.get(`${name}.token`) ?? "the settings" };
  return secret && { value: secret.value, source: secret.source };
}

/** Whether any channel is to be opened; asked at every start, so it loads nothing. */
export function hasChannels(loaded: Pick<LoadedConfig, "config" | "secrets" | "origins">): boolean {
  return Object.keys(TOKENS).some((name) => tokenOf(loaded, name) !== undefined);
}
