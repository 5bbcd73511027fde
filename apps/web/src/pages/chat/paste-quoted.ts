import { quoteLines } from "@elwood/sdk/view-state/quoted-lines";
import { say } from "../../words/en/chat.ts";

/** Puts lines from elsewhere into the box as a quotation, and says so. */
export function pasteQuoted(box: HTMLTextAreaElement, text: string): string {
  const before = box.value.slice(0, box.selectionStart);
  const lead = before === "" || before.endsWith("\n") ? "" : "\n";
  insert(box, `${lead}${quoteLines(text)}\n`);
  return say.pastedLinesAreQuotedSoNothing;
}

/** As if it were typed, so that the browser can undo it; not every browser does that for a text box. */
function insert(box: HTMLTextAreaElement, text: string): void {
  box.focus();
  const { selectionStart, selectionEnd } = box;
  // What was typed right before is a step of its own: moving away and back ends it.
  box.setSelectionRange(0, 0);
  box.setSelectionRange(selectionStart, selectionEnd);
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else keeps what the box can undo
  if (document.execCommand("insertText", false, text)) return;
  box.setRangeText(text, selectionStart, selectionEnd, "end");
  box.dispatchEvent(new Event("input"));
}
