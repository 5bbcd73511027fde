import { html, render, type TemplateResult } from "lit";
import { say } from "../words/en/parts.ts";

/**
 * Asks for a yes before something that cannot be taken back, or that reaches far. Resolves
 * with what was pressed; closing it by Escape is a no. The focus returns to where it was.
 */
export function confirmDialog(words: {
  readonly title: string;
  readonly text: string | TemplateResult;
  readonly yes: string;
  readonly danger?: boolean;
}): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "dialog";
    dialog.setAttribute("aria-labelledby", "confirm-title");
    render(
      html`<h2 id="confirm-title">${words.title}</h2>
        <div class="dialog-text">${words.text}</div>
        <div class="dialog-buttons">
          <button type="button" autofocus @click=${() => dialog.close("no")}>${say.cancel}</button>
          <button
            type="button"
            class=${words.danger ? "danger" : "primary"}
            @click=${() => dialog.close("yes")}
          >
            ${words.yes}
          </button>
        </div>`,
      dialog,
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
