import { noteIn } from "../memory/recalled.ts";
import { activityParts } from "./activity-note.ts";
import { whoForPeople } from "./recalled-frame.ts";

/**
 * Messages are kept as the model was told them, with marks around other people's words
 * and lines on how to take them. Somebody who reads the conversation wants what was said.
 */

const FRAME =
  /\[untrusted ([0-9a-f]{4,64})\]\n([^]*?)\n\[end \1\]|\[Untrusted text ([0-9a-f]{8,64}) from [^\n]*\]\n([^]*?)\n\[End of untrusted text \3\]/g;

/** What a call answered: without the frame around it, and without what the model was told of its calls behind it. */
export function resultForPeople(text: string): string {
  // The words of a frame cannot close it: its number stands nowhere in them.
  return activityParts(text)
    .output.replace(UNFIT, "")
    .replaceAll(FRAME, "$2$4")
    .trimEnd()
    .replace(READ_ON, "")
    .trimEnd();
}

/** How the model is to take an answer that breaks its tool's schema. */
const UNFIT = /\n\[Elwood, not the owner\] [^\n]*$/;
/** How the model reads on in a long file. */
const READ_ON = /(?:^|\n)\[(?:The file goes on\.|Lines \d+–\d+ of) [^\n\]]*\]$/;

/** What was found in memory: its lines, without the sentence before them on how far to believe it. */
export function recalledForPeople(text: string): string {
  const first = text.search(/^- /m);
  return (first < 0 ? text : text.slice(first)).replaceAll(RECALLED_LINE, recalledHead).trimEnd();
}

/** `- 2026-05-03, the owner said [memory/default/home.md#4]: …`, as `recalledLine` writes it. */
const RECALLED_LINE = /^- ([^,\n]{1,40}), ([^[\n]{1,100}) \[((?:memory|sessions)\/[^\]\n]{1,400})#\d+\]: /gm;

/** Where it stands as people call it; paths and session ids are in the JSON. */
function recalledHead(_line: string, day: string, who: string, source: string): string {
  const note = noteIn(source);
  const speaker = whoForPeople(who);
  return note === undefined ? `- ${day}, ${speaker}: ` : `- ${day}, ${speaker}, note “${note}”: `;
}
