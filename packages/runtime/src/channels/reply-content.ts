import type { ChannelContent } from "@elwood/core/channel/channel";
import { replyAsText } from "@elwood/core/grounding/render";
import { replyLocale } from "@elwood/core/request/language";
import type { StoredEnding } from "../run/stored-ending.ts";
import type { ReplyFiles } from "./reply-files.ts";

const STOPPED = "Stopped. What was written by then is kept.";
const SILENT = "There is no answer to show.";

/**
 * How a run ended, for a chat: the reply with the gateway's marks and sentences, what it has to say
 * about the ending and about files, and the evidence with a link to all of it where there is any.
 */
export function replyContent(
  ending: StoredEnding,
  runLink: string,
  made: ReplyFiles = { files: [], notes: [] },
): ChannelContent {
  const { text, segments = [], evidence } = ending.final ?? ending.error;
  const reply = replyAsText(segments, replyLocale(text)) || text;
  const notes = ending.final
    ? [ending.final.aborted ? STOPPED : "", ending.final.note ?? ""]
    : [
        ending.error.message,
        ending.error.said === undefined ? "" : `The provider said: “${ending.error.said}”`,
      ];
  const said = [reply, ...notes, made.notes.join("\n")].filter((part) => part.trim() !== "");
  const footer = evidence === "" ? "" : `${evidence}\n${runLink}`;
  return {
    markdown: said.length > 0 ? said.join("\n\n") : SILENT,
    ...(footer === "" ? {} : { footer }),
    ...(made.files.length > 0 ? { files: made.files } : {}),
  };
}
