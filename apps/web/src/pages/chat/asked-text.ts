import { html } from "lit";
import type { Turn } from "@elwood/sdk/view-state/turn";

/** The words that the sender of a turn typed. */
export function askedText({ asked }: Turn): string {
  return asked
    .flatMap((message) =>
      message.blocks.flatMap((block) =>
        block.type === "text" && SENDERS.has(block.origin ?? message.origin) ? [block.text] : [],
      ),
    )
    .join("\n\n");
}

/** Whose words are a message, and no material that came with one. */
const SENDERS: ReadonlySet<string> = new Set(["owner", "program", "member"]);

/** What stands in the place of words that were forgotten. */
export const FORGOTTEN = html`<p class="hint">What was said here was forgotten.</p>`;
