import { html, nothing, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { settleWords, wordOf, type Field } from "./decision.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";

/** Forms of a card. They hold no state: whoever shows them hears what was typed and sent. */

/** The input, field by field, in the place of what it would change. */
export function editFields(
  { approvalId }: WireApproval,
  fields: readonly Field[],
  edited: (index: number, text: string) => void,
): TemplateResult {
  return html`<div class="approval-form">
    ${fields.map(
      ({ name, text }, i) =>
        html`<label for="field-${approvalId}-${i}">${name}</label>
          <textarea
            id="field-${approvalId}-${i}"
            rows=${Math.min(12, Math.max(1, text.split("\n").length))}
            spellcheck="false"
            .value=${text}
            @input=${(event: Event) => {
              if (event.target instanceof HTMLTextAreaElement) edited(i, event.target.value);
            }}
          ></textarea>`,
    )}
  </div>`;
}

/** For questions: one of the answers that were offered, or the owner's own words. */
export function answerForm(
  { options, kind, approvalId }: WireApproval,
  choose: (option: string) => void,
  submit: (event: Event) => void,
): TemplateResult {
  if (options) {
    return html`<div class="approval-buttons">
      ${options.map(
        (option, i) =>
          html`<button
            type="button"
            aria-keyshortcuts=${i < 9 ? i + 1 : nothing}
            @click=${() => choose(option)}
          >
            ${kind === "settle" ? settleWords(option) : option}${i < 9 ? html`<kbd aria-hidden="true">${i + 1}</kbd>` : nothing}
          </button>`,
      )}
    </div>`;
  }
  return html`<form class="approval-form" @submit=${submit}>
    <label for="answer-${approvalId}">${say.yourAnswer}</label>
    <textarea id="answer-${approvalId}" name="answer" rows="2" maxlength="20000"></textarea>
    <div class="approval-buttons"><button type="submit" class="primary">${say.answer}</button></div>
  </form>`;
}

/** The word that allows what destroys something: instead of holding a button, or as the only way. `entered` when Enter is pressed in it. */
export function wordField(approval: WireApproval, entered: () => void): TemplateResult {
  const { confirm, approvalId } = approval;
  const word = wordOf(approval);
  const label = confirm === undefined ? fill(say.orType, word) : fill(say.typeToAllowIt, word);
  return html`<p class="approval-word">
    <label for="word-${approvalId}">${label}</label>
    <input
      id="word-${approvalId}"
      type="text"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === "Enter") entered();
      }}
    />
  </p>`;
}
