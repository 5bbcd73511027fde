import { html } from "lit";
import type { Turn } from "@elwood/sdk/view-state/turn";

/** The words that the owner typed in a turn. */
export function askedText({ asked }: Turn): string {
  return asked
    .flatMap((message) =>
      message.blocks.flatMap((block) =>
        block.type === "text" && (block.origin ?? message.origin) === "owner" ? [block.text] : [],
      ),
    )
    .join("\n\n");
}

/** What stands in the place of words that were forgotten. */
export const FORGOTTEN = html`<p class="hint">What was said here was forgotten.</p>`;
