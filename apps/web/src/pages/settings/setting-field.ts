import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { isRecord } from "@elwood/core/base/is-record";
import { AppElement } from "../../app/app-element.ts";
import { icon } from "../../parts/icon.ts";
import type { Watched } from "@elwood/sdk/store";
import { SETTING_WORDS, type SettingWords } from "./setting-words.ts";
import { SettingsState, type Setting } from "./settings-state.ts";
import { say } from "../../words/en/settings.ts";
import { fill, fillIn } from "../../words/fill.ts";
import { gatewayText } from "../../words/gateway.ts";

interface Folder {
  readonly path: string;
  readonly write: boolean;
  readonly synced?: boolean;
}

/** One setting: what it is, where it is from, and a way to change it. A change counts as soon as the field is left. */
export class SettingField extends AppElement {
  static override properties: PropertyDeclarations = {
    key: { attribute: false },
    busy: { state: true },
    problem: { state: true },
    saved: { state: true },
  };
  declare key: string;
  declare busy: boolean;
  declare problem: string | undefined;
  declare saved: boolean;

  constructor() {
    super();
    this.busy = false;
    this.saved = false;
  }

  get #state(): SettingsState {
    return this.app.keep(SettingsState);
  }

  protected override watches(): readonly Watched[] {
    return [this.#state.all, this.#state.models];
  }

  protected override render(): unknown {
    const setting = this.#state.of(this.key);
    if (!setting) return nothing;
    const words = SETTING_WORDS[this.key] ?? { title: this.key, about: "" };
    const id = idOf(this.key);
    const isGroup = setting.kind === "folders";
    return html`<div
      class="setting"
      role=${isGroup ? "group" : nothing}
      aria-labelledby=${isGroup ? `${id}-name` : nothing}
    >
      <div class="setting-words">
        ${
          isGroup
            ? html`<span class="setting-name" id="${id}-name">${words.title}</span>`
            : html`<label class="setting-name" for=${id}>${words.title}</label>`
        }
        <p class="hint" id="${id}-about">${words.about}</p>
      </div>
      <div class="setting-control">
        ${this.#control(setting, words, id)}
        <p class="hint setting-from">${this.#from(setting)}</p>
        <div role="status">
          ${this.problem === undefined || this.problem === "" ? nothing : html`<p class="line bad">${this.problem}</p>`}
          ${this.saved ? html`<p class="hint setting-saved">${icon("check", 14)}${say.saved}</p>` : nothing}
        </div>
      </div>
    </div>`;
  }

  #from(setting: Setting): unknown {
    const { fixed, origin, effect, running } = setting;
    if (fixed !== undefined) return html`${icon("lock", 14)} ${gatewayText(fixed).replaceAll("`", "")}`;
    const own =
      origin !== "default" &&
      !origin.startsWith("default") &&
      JSON.stringify(setting.value) !== JSON.stringify(setting.default);
    const waits = "running" in setting && effect === "restart";
    return html`${waits ? html`${fillIn(say.inUseUntilThen, html`<strong>${say.countsAfterARestart}</strong>`, shown(running))} ` : effect === "restart" ? say.aChangeCountsAfterARestart : nothing}
    ${
      own
        ? html`<button
            type="button"
            class="link"
            title=${fill(say.setIn, origin)}
            ?disabled=${this.busy}
            @click=${() => void this.#save(null)}
          >
            ${fillIn(say.backToTheDefault, setting.default === null || Array.isArray(setting.default) ? "" : ` (${shown(setting.default)})`)}
          </button>`
        : nothing
    }`;
  }

  #control(setting: Setting, words: SettingWords, id: string): TemplateResult {
    const disabled = this.busy || setting.fixed !== undefined;
    const about = `${id}-about`;
    const { value } = setting;
    const changed = (read: (text: string) => unknown) => (event: Event) => {
      const { target } = event;
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement)
        void this.#save(read(target.value.trim()), target);
    };
    switch (setting.kind) {
      case "switch":
        return html`<input
          id=${id}
          type="checkbox"
          class="switch"
          aria-describedby=${about}
          ?disabled=${disabled}
          .checked=${value === true}
          @change=${({ target }: Event) => {
            if (target instanceof HTMLInputElement) void this.#save(target.checked, target);
          }}
        />`;
      case "number":
        return html`<span class="setting-number"
          ><input
            id=${id}
            type="number"
            step="any"
            min="0"
            inputmode="decimal"
            aria-describedby=${about}
            ?disabled=${disabled}
            .value=${textIn(value)}
            @change=${changed((text) => (text === "" ? null : Number(text)))}
          />${words.unit === undefined ? nothing : html`<span class="hint">${words.unit}</span>`}</span
        >`;
      case "choice":
        return html`<select
          id=${id}
          aria-describedby=${about}
          ?disabled=${disabled}
          @change=${changed((text) => (text === "" ? null : text))}
        >
          ${(setting.default === null ? ["", ...(setting.options ?? [])] : (setting.options ?? [])).map(
            (each) =>
              html`<option value=${each} ?selected=${each === (value ?? "")}>
                ${words.options?.[each] ?? each}
              </option>`,
          )}
        </select>`;
      case "model":
        return this.#models(setting, id, disabled, about);
      case "secret":
        return html`<form class="setting-secret" @submit=${(event: Event) => void this.#keep(event)}>
          <input
            id=${id}
            type="password"
            autocomplete="off"
            aria-describedby=${about}
            ?disabled=${disabled}
            placeholder=${value === true ? say.aKeyIsStored : (words.placeholder ?? "")}
          />
          <button type="submit" ?disabled=${disabled}>${say.save}</button>
        </form>`;
      case "folders":
        return this.#folders(setting, disabled);
      case "zone":
        return html`<input
            id=${id}
            list="${id}-zones"
            spellcheck="false"
            aria-describedby=${about}
            ?disabled=${disabled}
            .value=${textIn(value)}
            @change=${changed((text) => (text === "" ? null : text))}
          />
          <datalist id="${id}-zones">
            ${Intl.supportedValuesOf("timeZone").map((zone) => html`<option value=${zone}></option>`)}
          </datalist>`;
      case "models":
      case "origins":
      case "rules":
      case "text": {
        const isList = setting.kind !== "text";
        return html`<input
          id=${id}
          spellcheck="false"
          aria-describedby=${about}
          placeholder=${words.placeholder ?? ""}
          ?disabled=${disabled}
          .value=${textIn(value)}
          @change=${changed((text) => (text === "" ? null : isList ? listIn(text) : text))}
        />`;
      }
      default: {
        const never: never = setting.kind;
        throw new Error(`unknown kind ${String(never)}`);
      }
    }
  }

  #models(setting: Setting, id: string, disabled: boolean, about: string): TemplateResult {
    const providers = this.#state.models.value ?? [];
    const listed = providers.flatMap(({ models }) => models.map(({ model }) => model));
    const value = typeof setting.value === "string" ? setting.value : "";
    const answers = this.app.status.value?.model;
    const unset =
      setting.key === "model" && answers !== undefined ? fill(say.automatic, answers) : say.notSet;
    return html`<select
      id=${id}
      aria-describedby=${about}
      ?disabled=${disabled}
      @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement)
          void this.#save(target.value === "" ? null : target.value, target);
      }}
    >
      <option value="" ?selected=${value === ""}>${value === "" ? unset : say.automatic2}</option>
      ${value === "" || listed.includes(value) ? nothing : html`<option value=${value} selected>${value}</option>`}
      ${providers.map(
        ({ name, models }) =>
          html`<optgroup label=${name}>
            ${models.map(
              ({ model }) => html`<option value=${model} ?selected=${model === value}>${model}</option>`,
            )}
          </optgroup>`,
      )}
    </select>`;
  }

  #folders(setting: Setting, disabled: boolean): TemplateResult {
    const folders = foldersIn(setting.value);
    const put = (next: readonly Folder[]) => void this.#save(next.length === 0 ? null : next);
    return html`<ul class="setting-folders">
        ${folders.map(
          (folder, at) =>
            html`<li>
              <code>${folder.path}</code>
              <label class="setting-switch"
                ><input
                  type="checkbox"
                  ?disabled=${disabled}
                  .checked=${folder.write}
                  @change=${({ target }: Event) => {
                    if (target instanceof HTMLInputElement)
                      put(folders.with(at, { ...folder, write: target.checked }));
                  }}
                />${say.mayChangeFiles}</label
              >
              <button
                type="button"
                class="icon-button"
                aria-label=${fill(say.closeToElwood, folder.path)}
                title=${say.remove}
                ?disabled=${disabled}
                @click=${() => put(folders.toSpliced(at, 1))}
              >
                ${icon("trash", 16)}
              </button>
            </li>`,
        )}
      </ul>
      <form
        class="setting-secret"
        @submit=${(event: Event) => {
          event.preventDefault();
          const input = this.querySelector<HTMLInputElement>(".setting-folder-new");
          const path = input?.value.trim() ?? "";
          if (path === "") return;
          put([...folders, { path, write: false }]);
        }}
      >
        <input
          class="setting-folder-new"
          aria-label=${say.anotherFolder}
          placeholder=${say.notes}
          spellcheck="false"
          ?disabled=${disabled}
        />
        <button type="submit" ?disabled=${disabled}>${say.add}</button>
      </form>`;
  }

  async #keep(event: Event): Promise<void> {
    event.preventDefault();
    const input = this.querySelector<HTMLInputElement>("input[type=password]");
    const secret = input?.value.trim() ?? "";
    if (!input || secret === "") return;
    await this.#save(secret, input);
    input.value = "";
  }

  async #save(value: unknown, from?: HTMLInputElement | HTMLSelectElement): Promise<void> {
    const setting = this.#state.of(this.key);
    if (!setting || this.busy) return;
    this.busy = true;
    this.saved = false;
    this.problem = undefined;
    const title = SETTING_WORDS[this.key]?.title ?? this.key;
    const words =
      setting.kind === "secret"
        ? title
        : `${title}: ${shown(setting.value)} → ${shown(value ?? setting.default)}`;
    const problem = await this.#state.set(setting, value, words);
    this.busy = false;
    this.problem = problem;
    this.saved = problem === undefined;
    // What was not changed does not look as if it were.
    if (problem !== undefined && from) putBack(from, this.#state.of(this.key)?.value);
    const input = this.querySelector<HTMLInputElement>(".setting-folder-new");
    if (input && problem === undefined) input.value = "";
  }
}

function idOf(key: string): string {
  return `setting-${key.replaceAll(".", "-")}`;
}

function putBack(field: HTMLInputElement | HTMLSelectElement, value: unknown): void {
  if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === true;
  else if (!(field instanceof HTMLInputElement && field.type === "password")) field.value = textIn(value);
}

function listIn(text: string): readonly string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function foldersIn(value: unknown): readonly Folder[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) =>
    isRecord(each) && typeof each["path"] === "string"
      ? [
          {
            path: each["path"],
            write: each["write"] === true,
            ...(each["synced"] === true ? { synced: true } : {}),
          },
        ]
      : [],
  );
}

/** A value as a person reads it. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return say.notSet2;
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) {
    const items = value.map((each: unknown) =>
      isRecord(each)
        ? `${String(each["path"])}${each["write"] === true ? say.mayChangeFiles2 : ""}`
        : String(each),
    );
    return items.length === 0 ? "none" : items.join(", ");
  }
  return typeof value === "number" ? value.toLocaleString() : textIn(value);
}

/** A value as it stands in a field. */
function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

customElements.define("elwood-setting", SettingField);
