import { html, type TemplateResult } from "lit";
import { isComposing } from "../../app/commands.ts";

export interface Editing {
  readonly words: () => string;
  readonly typed: (words: string) => void;
  readonly cancel: () => void;
  readonly send: (words: string) => void;
}

/** The owner's words of a turn, to be changed. What is typed is kept elsewhere: what draws it may go and come. */
export function messageEditor({ words, typed, cancel, send }: Editing): TemplateResult {
  const changed = ({ target }: Event) => {
    if (target instanceof HTMLTextAreaElement) typed(target.value);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (words().trim()) send(words());
  };
  const pressed = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") cancel();
    if (event.key === "Enter" && !event.shiftKey) submit(event);
  };
  return html`<form class="edit-message" @submit=${submit}>
    <textarea
      aria-label="Your message"
      rows="3"
      .value=${words()}
      @input=${changed}
      @keydown=${pressed}
    ></textarea>
    <p class="hint">It goes into a branch that begins before this message; what stands here stays.</p>
    <div class="edit-buttons">
      <button type="button" @click=${cancel}>Cancel</button>
      <button type="submit" class="primary">Send in a branch</button>
    </div>
  </form>`;
}
