import { html, nothing, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { StateWord } from "@elwood/core/base/state-words";
import { PageElement } from "../../app/app-element.ts";
import { countText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { copyButton, emptyState, loadedView, pageHead, stateBadge, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import type { Watched } from "@elwood/sdk/store";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/doctor.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "./log-tail.ts";
import "./doctor.css";

type Report = MethodResult<"gateway.doctor">;
type Finding = Report["findings"][number];

const SEVERITIES: Readonly<Record<string, StateWord>> = {
  ok: { word: "OK", tone: "ok", glyph: "✓", icon: "check" },
  info: { word: "note", tone: "info", glyph: "i", icon: "dot" },
  warning: { word: "warning", tone: "warn", glyph: "!", icon: "warning" },
  error: { word: "broken", tone: "bad", glyph: "✗", icon: "cross" },
};
const ORDER = ["error", "warning", "info", "ok"];

/** How Elwood is: what was looked at, what was found, how to mend it; and its log as it is written. */
export class DoctorPage extends PageElement {
  readonly #loader = new Loader<Report>(this, () => this.app.link.call("gateway.doctor", {}));

  protected override watches(): readonly Watched[] {
    return [this.app.link.hello];
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => this.app.link.may("admin") && void this.#loader.load())];
  }

  protected override render(): unknown {
    const logs = this.query.get("show") === "log";
    return html`<div class="page-body ${logs ? "fill" : ""}">
      ${pageHead(
        say.health,
        say.checksEverythingElwoodNeedsAnd,
        logs || !this.app.link.may("admin")
          ? nothing
          : html`<button type="button" @click=${() => void this.#loader.load()}>
              ${icon("refresh", 16)}${say.checkAgain}
            </button>`,
      )}
      <nav class="tabs" aria-label=${say.health}>
        <a href="/doctor" aria-current=${logs ? nothing : "page"}>${say.findings}</a>
        <a href="/doctor?show=log" aria-current=${logs ? "page" : nothing}>${say.log}</a>
      </nav>
      ${this.#inside(logs)}
    </div>`;
  }

  #inside(logs: boolean): unknown {
    if (!this.app.link.hello.value) return nothing;
    if (!this.app.link.may("admin")) {
      return emptyState({
        icon: "lock",
        title: say.thisLoginMayNotLook,
        text: say.findingsAndTheLogNeedA,
      });
    }
    if (logs) return html`<elwood-log-tail .app=${this.app}></elwood-log-tail>`;
    return loadedView(this.#loader.now, {
      isEmpty: ({ findings }) => findings.length === 0,
      empty: { icon: "pulse", title: say.nothingWasLookedAt },
      view: (report) => reportView(report),
      retry: () => void this.#loader.load(),
    });
  }
}

function reportView({ counts, findings, at, version }: Report): TemplateResult {
  const sorted = findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  const passed = sorted.filter(({ severity }) => severity === "ok");
  const rest = sorted.filter(({ severity }) => severity !== "ok");
  const bad = counts.error + counts.warning;
  return html`<p class=${bad === 0 ? "line ok" : "line warn"} role="status">
      ${fillIn(say.elwoodChecked, bad === 0 ? say.everythingLooksGood : fill(say.broken, countText(counts.error, say.thing, say.things), countText(counts.warning, say.warning, say.warnings)), version, timeAgo(at))}
    </p>
    ${rest.length === 0 ? nothing : findingList(rest)}
    ${
      passed.length === 0
        ? nothing
        : html`<details class="raw">
            <summary>${fillIn(say.passed, countText(passed.length, say.check, say.checks))}</summary>
            ${findingList(passed)}
          </details>`
    }`;
}

function findingList(findings: Report["findings"]): TemplateResult {
  return html`<ul class="findings">
    ${findings.map((finding) => findingView(finding))}
  </ul>`;
}

/** What is so, and the way to mend it: a button where this page can, else the advice. The rest is in its details. */
function findingView({ severity, what, evidence, fix, id, repairable }: Finding): TemplateResult {
  const place = severity === "ok" ? undefined : PLACES.find(([area]) => area.test(id));
  const advice = fix === "" || severity === "ok" ? nothing : fixView(gatewayText(fix));
  const seen = evidence === "" ? nothing : html`<p class="hint">${evidence}</p>`;
  return html`<li class="finding" data-severity=${severity} title=${id}>
    <span class="finding-state">${stateBadge(SEVERITIES, severity)}</span>
    <div class="finding-words">
      <p>${gatewayText(what)}</p>
      ${place ? html`<p><a class="button" href=${place[1]}>${place[2]()}</a></p>` : advice}
      ${repairable ? html`<p class="hint">${fillIn(say.orAllAtOnce, html`<code>npx elwood doctor --fix</code>`)}</p>` : nothing}
      ${
        place
          ? html`<details class="raw">
              <summary>${say.details}</summary>
              ${seen}${advice}
            </details>`
          : seen
      }
    </div>
  </li>`;
}

/** Where on this page something can be mended, by the area of the finding. */
const PLACES: readonly (readonly [area: RegExp, path: string, words: () => string])[] = [
  [/^(model|auth)\./, "/connections", () => say.openModelsAndKeys],
  [/^search\./, "/settings", () => say.setUpSearch],
  [/^channels\./, "/channels", () => say.openChannels],
  [/^(mcp|integrations)\./, "/integrations", () => say.openIntegrations],
  [/^(tools|commands|policy)\./, "/tools", () => say.openToolsAndPolicy],
  [/^(config|time\.zone|memory\.off|browser)/, "/settings", () => say.openSettings],
];

const COMMAND = /(?:^|: )((?:elwood|npm|npx|chmod|chown|timedatectl) .*)$/s;

/** Advice is a sentence; what can be typed into a terminal is a command, and can be copied. */
function fixView(fix: string): TemplateResult {
  const command = COMMAND.exec(fix)?.[1];
  if (command === undefined) return html`<p class="finding-fix">${fix}</p>`;
  return html`<p class="finding-fix">
    ${fix.slice(0, -command.length)}<code>${command}</code>${copyButton(command, say.copyTheCommand)}
  </p>`;
}

customElements.define("elwood-doctor-page", DoctorPage);
