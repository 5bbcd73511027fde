import { html, nothing } from "lit";
import { POLICY_MODES, type PolicyMode } from "@elwood/core/policy/policy";
import { AppElement } from "../../app/app-element.ts";
import type { Watched } from "@elwood/sdk/store";
import { MODE_WORDS } from "../settings/setting-words.ts";
import { attemptConfirmed, SettingsState } from "../settings/settings-state.ts";
import { say } from "../../words/en/tools.ts";

/** How much Elwood does without asking, in three steps. */
export class PolicyModeChoice extends AppElement {
  protected override watches(): readonly Watched[] {
    return [this.app.status, this.app.link.hello];
  }

  protected override render(): unknown {
    const now = this.app.status.value?.policyMode;
    if (now === undefined || !this.app.link.has("policy.mode")) return nothing;
    return html`<section aria-labelledby="mode-title">
      <h2 id="mode-title">${say.whenElwoodAsks}</h2>
      <fieldset class="modes">
        <legend class="unseen">${say.whenElwoodAsks}</legend>
        ${POLICY_MODES.map(
          (mode) =>
            html`<label class="mode">
              <input
                type="radio"
                name="policy-mode"
                value=${mode}
                .checked=${mode === now}
                @change=${() => void this.#choose(mode)}
              /><strong>${MODE_WORDS[mode].title}</strong>
              <span class="hint">${MODE_WORDS[mode].about}</span>
            </label>`,
        )}
      </fieldset>
    </section>`;
  }

  async #choose(mode: PolicyMode): Promise<void> {
    const { title, about } = MODE_WORDS[mode];
    const made = await attemptConfirmed(this.app, `${title}: ${about}`, (confirm) =>
      this.app.link.call("policy.mode", { mode, ...confirm }),
    );
    if (made?.note !== undefined) this.app.toasts.show(made.note);
    await Promise.all([this.app.look(), this.app.keep(SettingsState).load()]);
    this.requestUpdate();
    const kept = this.querySelector<HTMLInputElement>(`input[value="${this.app.status.value?.policyMode}"]`);
    if (kept) kept.checked = true;
  }
}

customElements.define("elwood-policy-mode", PolicyModeChoice);
