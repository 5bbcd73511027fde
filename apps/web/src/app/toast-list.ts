import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { icon } from "../parts/icon.ts";
import { spokenText } from "../parts/markdown/spoken-text.ts";
import type { Watched } from "@elwood/sdk/store";
import { AppElement } from "./app-element.ts";

export class ToastList extends AppElement {
  protected override watches(): readonly Watched[] {
    return [this.app.toasts.shown];
  }

  protected override render(): unknown {
    const { toasts } = this.app;
    return html`<div class="toasts" role="status">
      ${repeat(
        toasts.shown.value,
        (toast) => toast.id,
        ({ id, text, tone, action }) =>
          html`<div class="toast" data-tone=${tone}>
            <span>${spokenText(text)}</span>
            ${
              action
                ? html`<button
                    type="button"
                    @click=${() => {
                      toasts.drop(id);
                      action.run();
                    }}
                  >
                    ${action.label}
                  </button>`
                : nothing
            }
            <button type="button" class="icon-button" aria-label="Close" @click=${() => toasts.drop(id)}>
              ${icon("close", 16)}
            </button>
          </div>`,
      )}
    </div>`;
  }
}

customElements.define("elwood-toast-list", ToastList);
