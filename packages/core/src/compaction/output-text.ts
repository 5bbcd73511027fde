import type { ToolResultBlock } from "../message/message.ts";
import { activityParts } from "../message/activity-note.ts";
import { frameParts, type FrameParts } from "../message/untrusted-frame.ts";

/** Reads the part of a result that was left out of the request. */
export const RESULT_TOOL = "session.result.read";

export interface OutputParts {
  /** What the tool said, with the frame around it. */
  readonly frame: FrameParts;
  /** What receipts say of other calls, behind it; mostly empty. */
  readonly activity: string;
}

/** A result's text, as it is kept, in its parts. Offsets into an output are offsets into `frame.inner`. */
export function outputParts(text: string): OutputParts {
  const { output, activity } = activityParts(text);
  return { frame: frameParts(output), activity };
}

/** Whether a block is the result of the call that somebody names by its number (`c3`) or by its id. */
export function isResultOf(
  call: string,
  { callId, cite }: Pick<ToolResultBlock, "callId" | "cite">,
): boolean {
  return callId === call || cite === call;
}

const HEAD_SHARE = 0.75;
/** A cut is moved back to the end of a line where one is so near. */
const LINE_SHARE = 0.2;

/**
 * About `chars` characters of a result: its beginning and its end, since what matters of a log
 * or a program stands last, and a handle for the rest. The sentence about it stands outside of
 * the frame, where no text that was read can stand.
 *
 * An output that is itself only a beginning, and says where to go on, is shown by its beginning
 * alone: whoever reads on in it comes to that sentence in the end, and is not told two ways at once.
 */
export function cutOutput(
  block: Pick<ToolResultBlock, "callId" | "cite" | "text">,
  chars: number,
  readTool: string | undefined,
): string {
  const { text } = block;
  const call = block.cite ?? block.callId;
  const { frame, activity } = outputParts(text);
  const { opening, inner, closing, after } = frame;
  if (inner.length <= chars) return text;
  if (saysWhereToGoOn(inner)) {
    const head = headOf(inner, chars);
    const next =
      readTool === undefined
        ? "If you need the rest, make the call again for a smaller part."
        : `Read on with ${readTool}: call "${call}", offset ${head.length}.`;
    const note = `[This output has ${inner.length} characters, more than there is room for, and is cut here. ${next}]`;
    return `${opening}${head}${closing}${after.replace(CUT_NOTE, "")}\n${note}${activity}`;
  }
  const head = headOf(inner, Math.floor(chars * HEAD_SHARE));
  const tail = tailOf(inner, chars - Math.floor(chars * HEAD_SHARE));
  const to = inner.length - tail.length;
  const next =
    readTool === undefined
      ? "If you need them, make the call again for a smaller part."
      : `Read them with ${readTool}: call "${call}", offset ${head.length}.`;
  const note = `[This output has ${inner.length} characters, more than there is room for. Those from ${head.length} to ${to} are left out at […]. ${next}]`;
  return `${opening}${head}\n[…]\n${tail}${closing}${after}\n${note}${activity}`;
}

/** Behind an output that its tool cut without a word on how to go on. */
export const CUT_NOTE = "\n[The output was longer and is cut here.]";

/** Whether a tool's last line says, in brackets, with which offset the rest is read. */
export function saysWhereToGoOn(text: string): boolean {
  return /(?:^|\n)\[[^[\]\n]{1,300}\boffset \d+\.\]$/u.test(text.slice(-LAST_LINE_CHARS).trimEnd());
}

const LAST_LINE_CHARS = 400;

function headOf(text: string, chars: number): string {
  const end = text.lastIndexOf("\n", chars - 1) + 1;
  return text.slice(0, whole(text, end >= chars * (1 - LINE_SHARE) ? end : chars));
}

function tailOf(text: string, chars: number): string {
  const start = text.length - chars;
  const line = text.indexOf("\n", start - 1) + 1;
  const at = line > 0 && line - start <= chars * LINE_SHARE ? line : start;
  return text.slice(whole(text, at));
}

/** Never between the two halves of one character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
