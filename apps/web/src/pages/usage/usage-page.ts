import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { UsageSummary } from "@elwood/core/protocol/owner-shapes";
import { PageElement } from "../../app/app-element.ts";
import { costText, countText, moneyText } from "../../parts/format.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { loadedView, pageHead } from "../../parts/small.ts";
import { vars } from "../../parts/vars.ts";
import { Loader } from "../../state/loader.ts";
import { pageLocale } from "../../words/language.ts";
import { say } from "../../words/en/usage.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "./usage.css";

const SPANS = [7, 30, 90] as const;

/** What was spent: estimates of Elwood's own, from prices it knows; what a provider bills is the provider's word. */
export class UsagePage extends PageElement {
  static override properties: PropertyDeclarations = { days: { state: true }, what: { state: true } };
  declare days: number;
  /** What the chart shows; undefined until somebody chose. */
  declare what: "costUsd" | "tokens" | undefined;
  readonly #loader = new Loader<UsageSummary>(this, () =>
    this.app.link.call("usage.summary", { days: this.days }),
  );

  constructor() {
    super();
    this.days = 30;
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      this.app.link.onPush(({ event }) => {
        if (event === "chat.final" || event === "chat.error") void this.#loader.load();
      }),
    ];
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead(say.usage, say.estimatesFromThePricesElwoodKnows)}
      <form class="filters" @submit=${(event: Event) => event.preventDefault()}>
        <label
          >${say.over}
          <select @change=${(event: Event) => this.#span(event)}>
            ${SPANS.map((days) => html`<option value=${days} ?selected=${days === this.days}>${fillIn(say.days, days)}</option>`)}
          </select>
        </label>
        <label
          >${say.show}
          <select @change=${(event: Event) => this.#shown(event)}>
            <option value="costUsd" ?selected=${this.#shownNow === "costUsd"}>${say.cost}</option>
            <option value="tokens" ?selected=${this.#shownNow === "tokens"}>${say.tokens}</option>
          </select>
        </label>
      </form>
      ${loadedView(this.#loader.now, {
        isEmpty: ({ total }) => total.laps === 0,
        empty: {
          icon: "usage",
          title: say.noModelWasUsedInThis,
          action: html`<a class="button" href="/">${say.saySomething}</a>`,
        },
        view: (usage) => this.#view(usage),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view(usage: UsageSummary): TemplateResult {
    const { total, caps } = usage;
    const share = caps.dayCostUsd > 0 ? Math.min(100, (100 * caps.todayUsd) / caps.dayCostUsd) : 0;
    return html`<ul class="stats">
        ${stat(say.cost, costText(total), total.unpriced > 0 ? fill(say.ofUnknownPrice, countText(total.unpriced, say.request, say.requests)) : "")}
        ${stat(say.tokens, total.tokens.toLocaleString(pageLocale()), fill(say.inOutFromCache, total.inputTokens.toLocaleString(pageLocale()), total.outputTokens.toLocaleString(pageLocale()), total.cacheReadTokens.toLocaleString(pageLocale())))}
        ${stat(say.requests, total.laps.toLocaleString(pageLocale()), "")}
        <li class="stat">
          <span class="hint">${say.todaysBudget}</span>
          <strong>${fillIn(say.of, costText(spentToday(usage)), moneyText(caps.dayCostUsd))}</strong>
          <span class="gauge" role="img" aria-label=${fill(say.ofTheLimit, share.toFixed(0))}
            ><span
              class="gauge-fill"
              data-full=${share >= 80 ? "" : nothing}
              ${vars({ "--share": `${share}%` })}
            ></span
          ></span>
        </li>
      </ul>
      ${this.#chart(usage)}
      <div class="usage-tables">
        ${table(
          say.byModel,
          [say.model, say.requests2, say.tokens2, say.cost2],
          usage.models.map((each) => [
            each.model,
            each.laps.toLocaleString(pageLocale()),
            each.tokens.toLocaleString(pageLocale()),
            costText(each),
          ]),
        )}
        ${table(
          say.byConversation,
          [say.conversation, say.runs, say.tokens2, say.cost2],
          usage.sessions.map((each) => [
            each.sessionKey === undefined
              ? say.deletedOnes
              : html`<a href="/c/${encodeURIComponent(each.sessionKey)}"
                  >${spokenText(each.title ?? each.sessionKey)}</a
                >`,
            each.runs.toLocaleString(pageLocale()),
            each.tokens.toLocaleString(pageLocale()),
            costText(each),
          ]),
        )}
      </div>`;
  }

  #chart(usage: UsageSummary): TemplateResult {
    const shown = this.#shownNow;
    const { days, models, top } = stacks(usage, shown);
    const tell = (value: number) =>
      shown === "costUsd" ? moneyText(value) : fill(say.tokens3, value.toLocaleString(pageLocale()));
    return html`<figure class="usage-chart">
      <figcaption>
        <span>${fillIn(say.aDayByModel, shown === "costUsd" ? say.cost2 : say.tokens2)}</span>
        <span class="legend">
          ${models.map((model, i) => html`<span><i data-series=${i % 6} aria-hidden="true"></i>${model}</span>`)}
        </span>
      </figcaption>
      <div class="chart-frame" aria-hidden="true">
        <div class="scale">${[top, top / 2, 0].map((value) => html`<span>${tick(shown, value)}</span>`)}</div>
        <div class="bars">${days.map((day) => bar(day, tell))}</div>
        <div class="chart-days">
          ${[days[0], days[days.length >> 1], days.at(-1)].map((day) => html`<span>${dayText(day?.day ?? "")}</span>`)}
        </div>
      </div>
      <details>
        <summary>${say.theSameAsATable}</summary>
        ${table(
          "",
          [say.day, shown === "costUsd" ? say.cost2 : say.tokens2],
          days.filter(({ total }) => total > 0).map(({ day, total }) => [day, tell(total)]),
        )}
      </details>
    </figure>`;
  }

  #span(event: Event): void {
    if (!(event.target instanceof HTMLSelectElement)) return;
    this.days = Number(event.target.value);
    void this.#loader.load();
  }

  /** A chart of nothing but zeros says less than one of tokens. */
  get #shownNow(): "costUsd" | "tokens" {
    return this.what ?? (this.#loader.value?.total.costUsd === 0 ? "tokens" : "costUsd");
  }

  #shown(event: Event): void {
    if (event.target instanceof HTMLSelectElement)
      this.what = event.target.value === "tokens" ? "tokens" : "costUsd";
  }
}

/** Of today, with what of it has no known price. */
export function spentToday({
  caps,
  days,
}: Pick<UsageSummary, "caps" | "days">): Parameters<typeof costText>[0] {
  const models = days.at(-1)?.models ?? [];
  const sum = (of: "laps" | "unpriced") => models.reduce((all, each) => all + each[of], 0);
  return { costUsd: caps.todayUsd, laps: sum("laps"), unpriced: sum("unpriced") };
}

function stat(name: string, value: string, more: string): TemplateResult {
  return html`<li class="stat">
    <span class="hint">${name}</span
    ><strong>${value}</strong>${more === "" ? nothing : html`<span class="hint">${more}</span>`}
  </li>`;
}

/** A round figure at the edge of the chart. */
function tick(shown: "costUsd" | "tokens", value: number): string {
  const text = value.toLocaleString(pageLocale(), { notation: "compact", maximumSignificantDigits: 2 });
  return shown === "costUsd" ? `$${text}` : text;
}

/** `2026-11-15` as a day of the calendar, whatever the time zone. */
function dayText(day: string): string {
  const at = Date.parse(day);
  return Number.isNaN(at)
    ? day
    : new Date(at).toLocaleDateString(pageLocale(), { timeZone: "UTC", day: "numeric", month: "short" });
}

function bar({ day, total, height, parts }: DayStack, tell: (value: number) => string): TemplateResult {
  return html`<span class="bar" title="${day}: ${tell(total)}">
    <span class="bar-stack" ${vars({ "--height": `${height}%` })}>
      ${parts.map(
        ({ series, share }) =>
          html`<span data-series=${series % 6} ${vars({ "--share": `${share}%` })}></span>`,
      )}
    </span>
  </span>`;
}

function table(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly unknown[])[],
): TemplateResult {
  return html`<section class="usage-table">
    ${title === "" ? nothing : html`<h2>${title}</h2>`}
    <div class="table-scroll">
      <table class="table">
        <thead>
          <tr>
            ${heads.map((head, i) => html`<th scope="col" class=${i === 0 ? "" : "number"}>${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (cells) =>
              html`<tr>
                ${cells.map((cell, i) => html`<td class=${i === 0 ? "" : "number"}>${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

interface DayStack {
  readonly day: string;
  readonly total: number;
  /** Of the chart, in hundredths. */
  readonly height: number;
  /** From the bottom; `series` is the model's place in the legend. */
  readonly parts: readonly { readonly series: number; readonly share: number }[];
}

/** The days of a chart: each as high as its sum, divided by models in the same order everywhere. `top` is a round figure. */
export function stacks(
  { days, models }: Pick<UsageSummary, "days" | "models">,
  what: "costUsd" | "tokens",
): { readonly days: readonly DayStack[]; readonly models: readonly string[]; readonly top: number } {
  const names = models.map(({ model }) => model);
  const sums = days.map((day) => day.models.reduce((sum, each) => sum + each[what], 0));
  const top = roundTop(Math.max(...sums, 0));
  return {
    top,
    models: names,
    days: days.map(({ day, models: of }, i) => {
      const total = sums[i] ?? 0;
      return {
        day,
        total,
        height: top === 0 ? 0 : (100 * total) / top,
        parts: of
          .map((each) => ({
            series: Math.max(0, names.indexOf(each.model)),
            share: total === 0 ? 0 : (100 * each[what]) / total,
          }))
          .toSorted((a, b) => a.series - b.series),
      };
    }),
  };
}

/** The least of 1, 2, 4, 5, 8 and 10 times a power of ten that is not below: half of it is round too. */
function roundTop(most: number): number {
  if (most <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  return (ROUND.find((each) => each * power >= most) ?? 10) * power;
}

const ROUND = [1, 2, 4, 5, 8, 10];

customElements.define("elwood-usage-page", UsagePage);
