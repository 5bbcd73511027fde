import { html, type TemplateResult } from "lit";
import { quoteLines } from "@elwood/sdk/view-state/quoted-lines";
import type { Turn } from "@elwood/sdk/view-state/turn";
import { say } from "../../words/en/chat.ts";

/** The words that the sender of a turn typed, and what they quoted, as such. */
export function askedText({ asked }: Turn): string {
  return asked
    .flatMap((message) =>
      message.blocks.flatMap((block) =>
        block.type === "text" ? wordsOf(block.text, block.origin ?? message.origin) : [],
      ),
    )
    .join("\n\n");
}

function wordsOf(text: string, origin: string): string[] {
  if (origin === "quoted") return [quoteLines(text)];
  return SENDERS.has(origin) ? [text] : [];
}

/** Whose words are a message, and no material that came with one. */
const SENDERS: ReadonlySet<string> = new Set(["owner", "program", "member"]);

/** What stands in the place of words that were forgotten. */
export function forgotten(): TemplateResult {
  return html`<p class="hint">${say.whatWasSaidHereWasForgotten}</p>`;
}
