import type { ChannelContext, ChannelDefinition } from "@elwood/core/channel/channel";

export { BUTTON_BYTES_MAX } from "@elwood/core/channel/channel";
export type {
  ChannelAccount,
  ChannelButton,
  ChannelChat,
  ChannelCheck,
  ChannelCheckContext,
  ChannelClock,
  ChannelCommand,
  ChannelConnection,
  ChannelContent,
  ChannelContext,
  ChannelDefinition,
  ChannelEvent,
  ChannelFile,
  ChannelHealth,
  ChannelLog,
  ChannelMessage,
  ChannelPace,
  ChannelPress,
  ChannelQuote,
  ChannelSender,
  ChannelState,
  ChatGone,
  ChatMoved,
  EditRequest,
  FetchedFile,
  OutgoingFile,
  RenderedMessage,
  SendOutcome,
  SendRequest,
} from "@elwood/core/channel/channel";

/** What the author of a channel writes. */
export interface ChannelOptions<Settings> extends Omit<ChannelDefinition, "kind" | "open" | "check"> {
  /** Checks the group of settings with the channel's name, and fills in defaults. It throws, in words, where something is wrong. */
  readonly settings: (given: unknown) => Settings;
  open(context: ChannelContext<Settings>): ReturnType<ChannelDefinition["open"]>;
  check(
    context: Pick<ChannelContext<Settings>, "settings" | "secrets" | "signal" | "clock">,
  ): ReturnType<ChannelDefinition["check"]>;
}

const NAME = /^[a-z][a-z0-9]{1,31}$/;

/**
 * Makes a channel. The module in `channels/<name>/index.ts` exports it as its default; the gateway
 * finds the folder, and loads it once its settings are there.
 */
export function defineChannel<Settings>(options: ChannelOptions<Settings>): ChannelDefinition {
  if (!NAME.test(options.name))
    throw new TypeError(
      `defineChannel: ${JSON.stringify(options.name)} is not a channel's name. Use lower-case letters and digits, as in "telegram".`,
    );
  return {
    kind: "elwood.channel",
    name: options.name,
    title: options.title,
    secrets: options.secrets,
    pace: options.pace,
    fileBytesMax: options.fileBytesMax,
    open: (context) => options.open({ ...context, settings: options.settings(context.settings) }),
    check: (context) => options.check({ ...context, settings: options.settings(context.settings) }),
  };
}
