import { html, nothing, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import type { Watched } from "@elwood/sdk/store";
import "./setting-field.ts";
import { SettingsState } from "./settings-state.ts";
import { say } from "../../words/en/settings.ts";

/** Some settings under a heading. Nothing is drawn where this login may not see them. */
export class SettingsGroup extends AppElement {
  static override properties: PropertyDeclarations = {
    heading: { attribute: false },
    keys: { attribute: false },
    more: { attribute: false },
  };
  declare heading: string;
  declare keys: readonly string[];
  /** Those that few people change; folded. */
  declare more: readonly string[] | undefined;

  protected override watches(): readonly Watched[] {
    return [this.app.keep(SettingsState).all];
  }

  protected override render(): unknown {
    const state = this.app.keep(SettingsState);
    if (!state.all.value) return nothing;
    const id = `group-${this.heading.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
    const field = (key: string) => html`<elwood-setting .app=${this.app} .key=${key}></elwood-setting>`;
    return html`<section class="settings-group" aria-labelledby=${id}>
      <h2 id=${id}>${this.heading}</h2>
      ${this.keys.map(field)}
      ${
        this.more && this.more.length > 0
          ? html`<details class="raw">
              <summary>${say.more}</summary>
              ${this.more.map(field)}
            </details>`
          : nothing
      }
    </section>`;
  }
}

customElements.define("elwood-settings-group", SettingsGroup);
