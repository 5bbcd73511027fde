import { html, nothing, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { minutesText, needsCare, OWN_WORD, settleWords, WINDOW_MINUTES, type Field } from "./decision.ts";

/** The forms that a card opens instead of its buttons. They hold no state: whoever shows them hears what was sent. */

interface FormActions {
  readonly submit: (event: Event) => void;
  readonly back: () => void;
}

/** What may run without asking from now on, in whole sentences, and for how long. */
export function longerForm(
  { approvalId, scopes = [], decisions }: WireApproval,
  { submit, back }: FormActions,
): TemplateResult {
  const times = [
    ...(decisions.includes("window") ? WINDOW_MINUTES.map(String) : []),
    ...(decisions.includes("always") ? ["always"] : []),
  ];
  return html`<form class="approval-form" @submit=${submit}>
    <fieldset>
      <legend>What may run without asking</legend>
      ${scopes.map(
        ({ scope, words }, i) =>
          html`<label class="choice">
            <input type="radio" name="scope" value=${scope} ?checked=${i === 0} />
            <span>${words}</span>
          </label>`,
      )}
    </fieldset>
    <label for="for-${approvalId}">For how long</label>
    <select id="for-${approvalId}" name="minutes">
      ${times.map(
        (each) =>
          html`<option value=${each}>
            ${each === "always" ? "until you revoke it" : `${minutesText(Number(each))}, in this conversation`}
          </option>`,
      )}
    </select>
    <p class="hint">It is listed under Approvals, Standing permissions, and can be ended there.</p>
    ${formButtons("Allow for longer", "primary", back)}
  </form>`;
}

export function editForm(
  approval: WireApproval,
  fields: readonly Field[],
  edited: (index: number, text: string) => void,
  { submit, back }: FormActions,
): TemplateResult {
  const { approvalId } = approval;
  return html`<form class="approval-form" @submit=${submit}>
    <p class="hint">What you write here is checked and runs instead. The model is told that you edited it.</p>
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
    ${needsCare(approval) ? wordField(approval, "must", () => {}) : nothing}
    ${formButtons("Allow this once", "primary", back)}
  </form>`;
}

export function noteForm({ approvalId }: WireApproval, { submit, back }: FormActions): TemplateResult {
  return html`<form class="approval-form" @submit=${submit}>
    <label for="note-${approvalId}">What shall the model know?</label>
    <textarea id="note-${approvalId}" name="note" rows="2" maxlength="2000"></textarea>
    ${formButtons("Deny with this note", "", back)}
  </form>`;
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
        (option) =>
          html`<button type="button" @click=${() => choose(option)}>
            ${kind === "settle" ? settleWords(option) : option}
          </button>`,
      )}
    </div>`;
  }
  return html`<form class="approval-form" @submit=${submit}>
    <label for="answer-${approvalId}">Your answer</label>
    <textarea id="answer-${approvalId}" name="answer" rows="2" maxlength="20000"></textarea>
    <div class="approval-buttons"><button type="submit" class="primary">Answer</button></div>
  </form>`;
}

/** The word that allows what destroys something: instead of holding a button, or as the only way. `entered` when Enter is pressed in it. */
export function wordField(
  { confirm, approvalId }: WireApproval,
  how: "or" | "must",
  entered: () => void,
): TemplateResult {
  const label =
    confirm === undefined && how === "or"
      ? `Or type “${OWN_WORD}”`
      : `Type “${confirm ?? OWN_WORD}” to allow it`;
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

function formButtons(yes: string, kind: string, back: () => void): TemplateResult {
  return html`<div class="approval-buttons">
    <button type="submit" class=${kind}>${yes}</button>
    <button type="button" class="quiet" @click=${back}>Back</button>
  </div>`;
}
