import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { Part } from "../../app/app-element.ts";
import { chooseLook, chosenLook, LOOKS, type LookName } from "../../app/look.ts";
import { chooseTheme, chosenTheme, type Theme } from "../../app/theme.ts";
import { chooseLanguage, LANGUAGES, type Language, pageLanguage } from "../../words/language.ts";
import { say } from "../../words/en/settings.ts";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly lang?: string;
}

/** How the page looks in this browser, and which language it speaks. The gateway is not told. */
export class LookSettings extends Part {
  static override properties: PropertyDeclarations = { changes: { state: true } };
  declare changes: number;

  constructor() {
    super();
    this.changes = 0;
  }

  protected override render(): unknown {
    const themes = THEMES.map((value) => ({ value, label: say[value] }));
    const languages = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label, lang: value }));
    return html`<fieldset class="themes">
        <legend class="unseen">${say.theme}</legend>
        ${themes.map(
          ({ value, label }) =>
            html`<label class="theme">
              <input
                type="radio"
                name="theme"
                .checked=${value === chosenTheme()}
                @change=${() => this.#changed(() => chooseTheme(value))}
              />${label}</label
            >`,
        )}
      </fieldset>
      <div class="look-choices">
        ${choice(say.language, pageLanguage(), languages, (value) => chooseLanguage(value as Language))}
        ${this.#look("text", say.textSize)} ${this.#look("density", say.density)}
      </div>
      <p class="hint">${say.lookHint}</p>`;
  }

  #look(name: LookName, label: string): TemplateResult {
    const choices = LOOKS[name].map((value) => ({ value, label: say[value] }));
    return choice(label, chosenLook(name), choices, (value) => this.#changed(() => chooseLook(name, value)));
  }

  #changed(act: () => void): void {
    act();
    this.changes++;
  }
}

function choice(
  label: string,
  chosen: string,
  choices: readonly Choice[],
  choose: (value: string) => void,
): TemplateResult {
  return html`<label
    >${label}
    <select
      .value=${chosen}
      @change=${({ target }: Event) => target instanceof HTMLSelectElement && choose(target.value)}
    >
      ${choices.map(
        ({ value, label: shown, lang }) =>
          html`<option value=${value} lang=${lang ?? nothing} ?selected=${value === chosen}>
            ${shown}
          </option>`,
      )}
    </select>
  </label>`;
}

customElements.define("elwood-look-settings", LookSettings);
