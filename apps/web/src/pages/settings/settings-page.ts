import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { PageElement } from "../../app/app-element.ts";
import { stopAll } from "../../app/shell-commands.ts";
import { dateText, durationText } from "../../parts/format.ts";
import { cannotStay, staysUntil } from "../../gateway/device-mark.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, notPermitted, pageHead } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import type { Watched } from "@elwood/sdk/store";
import "./look-settings.ts";
import "./agent-editor.ts";
import "./notify-settings.ts";
import "./settings-group.ts";
import { SettingsState } from "./settings-state.ts";
import { say } from "../../words/en/settings.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "./settings.css";

type Config = MethodResult<"config.show">;

/** How the page looks, how the gateway stands, what it was told, and the ways out. */
export class SettingsPage extends PageElement {
  static override properties: PropertyDeclarations = { wanted: { state: true } };
  declare wanted: string;
  readonly #config = new Loader<Config>(this, () => this.app.link.call("config.show", {}));

  constructor() {
    super();
    this.wanted = "";
  }

  protected override watches(): readonly Watched[] {
    const { all, problem } = this.app.keep(SettingsState);
    return [this.app.status, this.app.link.hello, all, problem];
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => {
        if (this.app.link.has("config.show") && this.app.link.may("admin")) void this.#config.load();
        void this.app.keep(SettingsState).load();
        if (this.app.link.may("admin")) void this.app.keep(SettingsState).loadModels();
      }),
      this.#onReturn(),
    ];
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead(say.settings, say.whatYouChangeHereIsWritten)} ${this.#trouble()}
      <section aria-labelledby="look-title">
        <h2 id="look-title">${say.appearance}</h2>
        <elwood-look-settings></elwood-look-settings>
      </section>
      <section aria-labelledby="keyboard-title">
        <h2 id="keyboard-title">${say.keyboard}</h2>
        <label class="setting-switch">
          <input
            type="checkbox"
            .checked=${this.app.commands.letters}
            @change=${({ target }: Event) => {
              if (target instanceof HTMLInputElement) this.app.commands.letters = target.checked;
            }}
          />${say.singleLetterShortcuts}</label
        >
        <p class="hint">${fillIn(say.outsideTextFieldsALetterIs, html`<kbd>N</kbd>`, html`<kbd>?</kbd>`)}</p>
      </section>
      ${this.#forms()}
      ${
        this.app.link.has("notify.status")
          ? html`<section aria-labelledby="notify-title">
              <h2 id="notify-title">${say.notifications}</h2>
              <elwood-notify-settings .app=${this.app}></elwood-notify-settings>
            </section>`
          : nothing
      }
      ${this.app.link.has("login.keep") ? this.#device() : nothing}
      <section aria-labelledby="begin-title">
        <h2 id="begin-title">${say.gettingStarted}</h2>
        <p class="hint">${say.waysToConnectAModelAnd}</p>
        <p class="settings-buttons">
          <a class="button" href="/welcome">${icon("spark", 16)}${say.showTheWelcomeAgain}</a>
        </p>
      </section>
      ${this.#gateway()}
      <section aria-labelledby="out-title">
        <h2 id="out-title">${say.dangerZone}</h2>
        <p class="settings-buttons">
          ${
            this.app.link.may("approve")
              ? html`<button type="button" class="danger" @click=${() => void stopAll(this.app)}>
                  ${icon("stop", 16)}${say.stopEverything}
                </button>`
              : notPermitted(this.app, "approve", say.stopEverything2)
          }
          <button type="button" @click=${() => this.app.logOut()}>${say.logOutOfThisBrowser}</button>
        </p>
        <p class="hint">${say.stopEverythingAbortsEveryRunAnd}</p>
      </section>
      ${this.#configuration()}
    </div>`;
  }

  /** Another tab, the command line or an editor may have changed something meanwhile. */
  #onReturn(): () => void {
    const look = () => {
      if (!document.hidden) void this.app.keep(SettingsState).load();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }

  #trouble(): unknown {
    const { all, problem } = this.app.keep(SettingsState);
    const words = problem.value ?? all.value?.problem;
    if (words === undefined) return nothing;
    return html`<p class="line bad" role="alert">
      ${words}
      <button type="button" @click=${() => void this.app.keep(SettingsState).load()}>
        ${say.checkAgain}
      </button>
    </p>`;
  }

  #forms(): unknown {
    if (!this.app.link.has("settings.get") || !this.app.link.may("admin")) return nothing;
    const group = (heading: string, keys: readonly string[], more?: readonly string[]) =>
      html`<elwood-settings-group
        .app=${this.app}
        .heading=${heading}
        .keys=${keys}
        .more=${more}
      ></elwood-settings-group>`;
    return html`${group(say.models, ["model"], ["fallbackModels", "compactionModel", "sessions.titles", "programs.mode"])}
      ${group(say.folders, ["files.roots"])}
      ${group(
        say.budgetsAndLimits,
        ["limits.dayCostUsd", "limits.costUsd"],
        [
          "limits.minutes",
          "limits.tokens",
          "limits.laps",
          "limits.calls",
          "limits.identicalCalls",
          "limits.parallelRuns",
        ],
      )}
      ${group(
        say.searchAndWeb,
        ["web.search.provider", "web.search.key", "web.search.searxngUrl"],
        ["web.allowedOrigins", "browser.enabled"],
      )}
      <section class="settings-group" aria-labelledby="agent-title">
        <h2 id="agent-title">${say.assistant}</h2>
        <details class="raw">
          <summary>${say.itsNameCharacterInstructionsModel}</summary>
          <elwood-agent-editor .app=${this.app}></elwood-agent-editor>
        </details>
      </section>
      ${group(say.memory, ["memory.enabled"], ["memory.recall.tokens"])}
      ${group(
        say.time,
        ["timeZone", "notify.quietHours"],
        ["heartbeat.intervalMinutes", "heartbeat.activeHoursStart", "heartbeat.activeHoursEnd"],
      )}
      ${group(
        say.forOtherPrograms,
        [],
        ["api.openai", "api.anthropic", "api.actions", "api.mcp", "api.metrics", "log.level"],
      )}`;
  }

  #device(): TemplateResult {
    const until = staysUntil();
    const why = cannotStay();
    return html`<section aria-labelledby="device-title">
      <h2 id="device-title">${say.thisDevice}</h2>
      ${
        until === undefined
          ? html`<p class="settings-buttons">
                <button
                  type="button"
                  ?disabled=${why !== undefined}
                  @click=${() => void this.app.stay().then(() => this.requestUpdate())}
                >
                  ${icon("key", 16)}${say.stayLoggedInOnThisDevice}
                </button>
              </p>
              <p class="hint">${why ?? say.aKeyThatCannotLeaveThis}</p>`
          : html`<p class="hint">${fillIn(say.thisBrowserStaysLoggedInUntil, dateText(until))}</p>`
      }
    </section>`;
  }

  #gateway(): unknown {
    const status = this.app.status.value;
    const hello = this.app.link.hello.value;
    if (!status || !hello) return nothing;
    return html`<section aria-labelledby="gateway-title">
      <h2 id="gateway-title">${say.gateway}</h2>
      <dl class="facts">
        ${fact(say.version, html`<span title=${hello.build}>${fill(say.protocolBuild, status.version, status.protocol)}</span>`)}
        ${fact(say.upFor, durationText(status.uptime * 1_000))}
        ${fact(say.model2, status.demo ? say.demoScripted : status.model)}
        ${fact(say.runs, fill(say.runningQueued, status.runsActive, status.runsQueued))}
        ${fact(say.connections, String(status.clients))} ${fact(say.permissions, hello.scopes.join(", "))}
      </dl>
      ${status.notices.map((notice) => html`<p class="line warn">${notice}</p>`)}
    </section>`;
  }

  #configuration(): unknown {
    if (!this.app.link.has("config.show")) return nothing;
    if (!this.app.link.may("admin")) return notPermitted(this.app, "admin", say.seeTheConfiguration);
    return html`<section aria-labelledby="config-title">
      <h2 id="config-title">${say.allSettings}</h2>
      <details class="raw">
        <summary>${say.everyKeyItsValueAndWhere}</summary>
        ${loadedView(this.#config.now, {
          isEmpty: ({ settings }) => settings.length === 0,
          empty: { icon: "gear", title: say.nothingIsSet },
          view: (config) => this.#table(config),
          retry: () => void this.#config.load(),
        })}
      </details>
    </section>`;
  }

  #table({ file, home, settings, secrets }: Config): TemplateResult {
    const wanted = this.wanted.toLowerCase();
    const shown = settings.filter(({ key }) => key.toLowerCase().includes(wanted));
    return html`<p class="hint">
        ${
          file === null
            ? html`${say.thereIsNoSettingsFileYet}`
            : html`${fillIn(say.settingsAreInWhatYouChange, html`<code>${file}</code>`)}`
        }
        ${fillIn(say.stateLiesIn, html`<code>${home}</code>`)}
      </p>
      <div class="filters">
        <label
          >${say.find}
          <input
            type="search"
            .value=${this.wanted}
            @input=${(event: Event) => {
              if (event.target instanceof HTMLInputElement) this.wanted = event.target.value;
            }}
          />
        </label>
      </div>
      <div class="table-scroll">
        <table class="table stacks">
          <thead>
            <tr>
              <th scope="col">${say.key}</th>
              <th scope="col">${say.value}</th>
              <th scope="col">${say.from}</th>
            </tr>
          </thead>
          <tbody>
            ${shown.map(
              ({ key, value, origin, secret }) =>
                html`<tr>
                  <td><code>${key}</code></td>
                  <td><code>${secret ? say.notShown : JSON.stringify(value)}</code></td>
                  <td>${origin}</td>
                </tr>`,
            )}
            ${secrets.map(
              ({ name, source }) =>
                html`<tr>
                  <td><code>${name}</code></td>
                  <td>${say.setNotShown}</td>
                  <td>${source}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
  }
}

function fact(name: string, value: unknown): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

customElements.define("elwood-settings-page", SettingsPage);
