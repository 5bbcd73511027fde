import { html, nothing, render } from "lit";
import type { AppContext } from "../../app/context.ts";
import { makeMenu } from "../../parts/menu.ts";
import type { Conversation } from "@elwood/sdk/view-state/conversation";
import { shareOf, type ContextFill } from "./context-fill.ts";
import { say } from "../../words/en/chat.ts";
import { fill, fillIn } from "../../words/fill.ts";

/** What stands in the context of a session, and what can be done when it is nearly full. */
export function openContextCard(
  app: AppContext,
  { sessionKey, unfinished }: Conversation,
  taken: ContextFill,
  button: HTMLElement,
): void {
  const menu = makeMenu(button, "dialog", say.contextOfThisSession);
  menu.element.classList.add("context-card");
  const sumUp = async () => {
    menu.close();
    const begun = await app.attempt(() => app.link.call("sessions.compact", { sessionKey }));
    if (begun) app.announce(say.olderMessagesAreBeingSummarised);
  };
  render(
    html`<h2>${fillIn(say.contextFull, shareOf(taken))}</h2>
      <p>
        ${fillIn(say.aboutOfTheTokensThatThe, taken.tokens.toLocaleString(), taken.window.toLocaleString())}
        ${taken.assumed ? fill(say.thisModelsContextSizeIsUnknown, taken.window.toLocaleString()) : nothing}
      </p>
      <p class="hint">${say.beforeItIsFullOlderMessages}</p>
      ${
        app.link.has("sessions.compact")
          ? html`<button type="button" ?disabled=${unfinished !== undefined} @click=${() => void sumUp()}>
              ${say.summariseOlderMessages}
            </button>`
          : nothing
      }`,
    menu.element,
  );
  menu.place();
  (menu.element.querySelector<HTMLElement>("button:enabled") ?? menu.element).focus();
}
