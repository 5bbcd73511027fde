import { html, nothing, render } from "lit";
import type { AppContext } from "../../app/context.ts";
import { makeMenu } from "../../parts/menu.ts";
import type { Conversation } from "@elwood/sdk/view-state/conversation";
import { shareOf, type ContextFill } from "./context-fill.ts";

/** What stands in the context of a session, and what can be done when it is nearly full. */
export function openContextCard(
  app: AppContext,
  { sessionKey, unfinished }: Conversation,
  fill: ContextFill,
  button: HTMLElement,
): void {
  const menu = makeMenu(button, "dialog", "Context of this session");
  menu.element.classList.add("context-card");
  const sumUp = async () => {
    menu.close();
    const begun = await app.attempt(() => app.link.call("sessions.compact", { sessionKey }));
    if (begun) app.announce("Older messages are being summarised.");
  };
  render(
    html`<h2>Context: ${shareOf(fill)} full</h2>
      <p>
        About ${fill.tokens.toLocaleString()} of the ${fill.window.toLocaleString()} tokens that the model
        takes at once: its instructions, its tools and this session.
        ${fill.assumed ? `This model's context size is unknown; assuming ${fill.window.toLocaleString()}. Set it with contextWindows in config.yaml.` : nothing}
      </p>
      <p class="hint">
        Before it is full, older messages are summarised. Nothing is deleted: everything stays here and can be
        searched.
      </p>
      ${
        app.link.has("sessions.compact")
          ? html`<button type="button" ?disabled=${unfinished !== undefined} @click=${() => void sumUp()}>
              Summarise older messages
            </button>`
          : nothing
      }`,
    menu.element,
  );
  menu.place();
  (menu.element.querySelector<HTMLElement>("button:enabled") ?? menu.element).focus();
}
