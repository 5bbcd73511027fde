import { html, type TemplateResult } from "lit";
import { isComposing } from "../../app/commands.ts";
import type { Turn } from "./turn.ts";

/** The owner's words of a turn, to be changed. What is typed is kept with the turn: what draws it may go and come. */
export function messageEditor(turn: Turn, cancel: () => void, send: (text: string) => void): TemplateResult {
  const typed = ({ target }: Event) => {
    if (target instanceof HTMLTextAreaElement) turn.edited = target.value;
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (turn.edited?.trim()) send(turn.edited);
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
      .value=${turn.edited ?? ""}
      @input=${typed}
      @keydown=${pressed}
    ></textarea>
    <p class="hint">It goes into a branch that begins before this message; what stands here stays.</p>
    <div class="edit-buttons">
      <button type="button" @click=${cancel}>Cancel</button>
      <button type="submit" class="primary">Send in a branch</button>
    </div>
  </form>`;
}
