import { html, render } from "lit";
import { keyCaps } from "./command-palette.ts";
import type { AppContext } from "./context.ts";
import { say } from "../words/en/app.ts";

/** Every key there is, from the one list that also hears them. */
export function openShortcuts(app: AppContext): void {
  if (document.querySelector("dialog.shortcuts")) return;
  const dialog = document.createElement("dialog");
  dialog.className = "dialog shortcuts";
  dialog.setAttribute("aria-labelledby", "shortcuts-title");
  const withKeys = app.commands.all.filter((each) => each.keys !== undefined);
  const groups = Map.groupBy(withKeys, (each) => each.group);
  render(
    html`<div class="shortcuts-head">
        <h2 id="shortcuts-title">${say.keyboardShortcuts}</h2>
        <button type="button" autofocus @click=${() => dialog.close()}>${say.close}</button>
      </div>
      <label class="shortcut-letters">
        <input
          type="checkbox"
          .checked=${app.commands.letters}
          @change=${({ target }: Event) => {
            if (target instanceof HTMLInputElement) app.commands.letters = target.checked;
          }}
        />
        ${say.singleLetterShortcuts}
      </label>
      <div class="shortcut-groups">
        ${[...groups].map(
          ([group, commands]) =>
            html`<section>
              <h3>${group}</h3>
              <dl>
                ${commands.map(
                  (each) =>
                    html`<div>
                      <dt>${each.title}</dt>
                      <dd>${keyCaps(each.keys ?? "")}</dd>
                    </div>`,
                )}
              </dl>
            </section>`,
        )}
      </div>`,
    dialog,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
