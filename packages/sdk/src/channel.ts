/** For authors of channels. */
export { BUTTON_BYTES_MAX, defineChannel, type ChannelOptions } from "./channel/channel.ts";
export { formatMarkdown } from "./channel/format-markdown.ts";
export {
  plainText,
  sliceFormatted,
  type FormattedText,
  type Span,
  type Style,
} from "./channel/formatted-text.ts";
export { splitMessage, type SplitOptions } from "./channel/split-message.ts";
