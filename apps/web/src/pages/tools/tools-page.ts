import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { RISK_WORDS } from "@elwood/core/base/state-words";
import type { MethodResult } from "@elwood/core/protocol/results";
import { PageElement } from "../../app/app-element.ts";
import { countText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { emptyState, loadedView, notPermitted, pageHead, stateBadge } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { attemptConfirmed, SettingsState } from "../settings/settings-state.ts";
import { gatewayText } from "../../words/gateway.ts";
import { groupName, toolAbout, toolName } from "../../words/tool-text.ts";
import { say } from "../../words/en/tools.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "../settings/settings-group.ts";
import "../settings/settings.css";
import "./policy-mode.ts";
import "./tool-view.ts";
import "./tools.css";

type Tools = MethodResult<"tools.list">;
type ToolSummary = Tools["tools"][number];

/** Everything that Elwood can do, by where it came from, and what the policy says about each. */
export class ToolsPage extends PageElement {
  static override properties: PropertyDeclarations = { wanted: { state: true } };
  declare wanted: string;
  readonly #loader = new Loader<Tools>(this, () => this.app.link.call("tools.list", {}));

  constructor() {
    super();
    this.wanted = "";
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => {
        void this.#loader.load();
        void this.app.keep(SettingsState).load();
      }),
    ];
  }

  protected override render(): unknown {
    const one = this.params["tool"];
    if (one !== undefined) return html`<elwood-tool-view .app=${this.app} .toolId=${one}></elwood-tool-view>`;
    return html`<div class="page-body">
      ${pageHead(
        say.toolsPolicy,
        say.whatElwoodCanDoAndWhen,
        this.app.link.may("admin")
          ? html`<button type="button" @click=${() => void this.#reload()}>
              ${icon("refresh", 16)}${say.reload}
            </button>`
          : notPermitted(this.app, "admin", say.reloadTheTools),
      )}
      <elwood-policy-mode .app=${this.app}></elwood-policy-mode>
      ${
        this.app.link.may("admin")
          ? html`<elwood-settings-group
              .app=${this.app}
              .heading=${say.commandsAndApprovals}
              .keys=${["shell.dangerous", "policy.approvalExpiryHours"]}
              .more=${["shell.requireCage", "policy.knownDestinations"]}
            ></elwood-settings-group>`
          : nothing
      }
      ${loadedView(this.#loader.now, {
        isEmpty: ({ tools }) => tools.length === 0,
        empty: { icon: "tools", title: say.thereAreNoTools },
        view: (found) => this.#view(found),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view({ tools, problems = [], off = [] }: Tools): TemplateResult {
    const wanted = this.wanted.toLowerCase();
    const shown = tools.filter(({ toolId, description }) =>
      [toolId, toolName(toolId), toolAbout(toolId, description)].some((words) =>
        words.toLowerCase().includes(wanted),
      ),
    );
    const groups = Map.groupBy(shown, ({ toolId }) => toolId.split(".")[0] ?? "");
    return html`${problems.map((problem) => html`<p class="line warn">${problem}</p>`)}
      ${off.map(
        (line) =>
          html`<p class="hint tool-off" title=${line}>
            ${fillIn(say.howTo, gatewayText(firstSentence(line)), html`<a href="/doctor">${say.health}</a>`)}
          </p>`,
      )}
      <div class="filters">
        <label
          >${say.find}
          <input
            type="search"
            placeholder=${say.nameOrWords}
            .value=${this.wanted}
            @input=${(event: Event) => {
              if (event.target instanceof HTMLInputElement) this.wanted = event.target.value;
            }}
          />
        </label>
        <p class="hint">${countText(shown.length, say.tool2, say.tools)}</p>
      </div>
      ${
        shown.length === 0
          ? emptyState({ icon: "search", title: say.noToolHasTheseWords })
          : [...groups].map(
              ([name, each]) =>
                html`<section class="tool-group" aria-labelledby="group-${name}">
                  <h2 id="group-${name}">${groupName(name)}</h2>
                  <ul class="tool-list">
                    ${each.map((tool) => this.#row(tool))}
                  </ul>
                </section>`,
            )
      }`;
  }

  #row(tool: ToolSummary): TemplateResult {
    return html`<li class="tool-item">${toolRow(tool)}${this.#rule(tool)}</li>`;
  }

  /** When it asks, as its owner says for this tool alone. */
  #rule({ toolId, rule }: ToolSummary): unknown {
    if (!this.app.link.has("tools.enable") || !this.app.link.may("admin")) return nothing;
    const now = rule === undefined || !rule.exact ? "usual" : rule.decision;
    const wider = rule && !rule.exact ? rule : undefined;
    return html`<select
      class="tool-rule"
      aria-label=${fill(say.whenAsks, toolName(toolId))}
      title=${wider ? fill(say.aRuleForMoreToolsSays, wider.decision, wider.origin) : nothing}
      @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement) void this.#setRule(toolId, target);
      }}
    >
      ${Object.entries(RULES).map(
        ([each, words]) => html`<option value=${each} ?selected=${each === now}>${words}</option>`,
      )}
    </select>`;
  }

  async #setRule(toolId: string, select: HTMLSelectElement): Promise<void> {
    const rule = select.value as keyof typeof RULES;
    const { link } = this.app;
    const made = await attemptConfirmed(
      this.app,
      `${toolName(toolId)}: ${RULES[rule].toLowerCase()}`,
      (confirm) =>
        rule === "deny"
          ? link.call("tools.disable", { toolId })
          : link.call("tools.enable", { toolId, rule, ...confirm }),
    );
    if (!made) select.value = [...select.options].find((each) => each.defaultSelected)?.value ?? "usual";
    await this.#loader.load();
  }

  async #reload(): Promise<void> {
    const made = await this.app.attempt(() => this.app.link.call("tools.reload", {}));
    if (!made) return;
    const { added, changed, removed, problems } = made;
    this.app.toasts.show(
      fill(
        say.addedChangedRemoved,
        added.length,
        changed.length,
        removed.length,
        problems.length > 0 ? fill(say.leftOut, problems.length) : "",
      ),
      { tone: problems.length > 0 ? "bad" : "info" },
    );
    await this.#loader.load();
  }
}

/** What is off and why; how to change it is told where it can be changed. */
function firstSentence(line: string): string {
  return line.split(/(?<=[.!?]) /, 1)[0] ?? line;
}

const RULES = {
  get usual() {
    return say.asUsual;
  },
  get ask() {
    return say.alwaysAsk;
  },
  get allow() {
    return say.neverAsk;
  },
  get deny() {
    return say.off;
  },
} as const;

function toolRow({ toolId, description, risk, source, standing, egress }: ToolSummary): TemplateResult {
  return html`<a class="tool-row" href="/tools/${encodeURIComponent(toolId)}">
    <span class="tool-name" title=${toolId}>${toolName(toolId)}</span>
    <span class="tool-about">${toolAbout(toolId, description)}</span>
    <span class="tool-badges">
      ${egress === "none" ? nothing : html`<span class="badge">${say.usesTheInternet}</span>`}
      ${source === "built-in" ? nothing : html`<span class="badge">${source}</span>`}
      ${
        standing === "granted"
          ? nothing
          : html`<span class="badge" data-tone="warn">${fillIn(say.asksEveryTime, standing)}</span>`
      }
      ${stateBadge(RISK_WORDS, risk)}
    </span>
  </a>`;
}

customElements.define("elwood-tools-page", ToolsPage);
