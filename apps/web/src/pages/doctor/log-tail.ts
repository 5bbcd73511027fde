import { showLine, showText } from "@elwood/core/base/show";
import { html, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { dateText, durationText } from "../../parts/format.ts";
import { emptyState } from "../../parts/small.ts";
import { deedText } from "../../words/deeds.ts";
import { say } from "../../words/en/doctor.ts";
import "../../parts/row-window.ts";
import { failureText } from "../../words/gateway.ts";

type Line = MethodResult<"gateway.logs">["lines"][number];

const ASK_EVERY_MS = 2_000;
const LINES_MAX = 10_000;
const PAGE_MAX = 500;
const LEVELS = ["error", "warn", "info", "debug"] as const;

/** The gateway's log as it is written, newest first. Secrets were taken out before it was kept. */
export class LogTail extends AppElement {
  static override properties: PropertyDeclarations = {
    lines: { state: true },
    level: { state: true },
    words: { state: true },
    paused: { state: true },
    problem: { state: true },
    asked: { state: true },
    chosen: { state: true },
  };
  declare lines: readonly Line[];
  declare level: (typeof LEVELS)[number];
  declare words: string;
  declare paused: boolean;
  declare problem: string | undefined;
  declare asked: boolean;
  /** The line whose fields are shown. */
  declare chosen: Line | undefined;
  #last = 0;
  #asking = false;

  constructor() {
    super();
    this.lines = [];
    this.level = "debug";
    this.words = "";
    this.paused = false;
    this.asked = false;
  }

  protected override entered(): readonly (() => void)[] {
    const timer = window.setInterval(() => void this.#ask(), ASK_EVERY_MS);
    return [() => clearInterval(timer), this.app.link.onReady(() => void this.#ask())];
  }

  protected override render(): unknown {
    const most = LEVELS.indexOf(this.level);
    const words = this.words.toLowerCase();
    const shown = this.lines.filter(
      (line) => LEVELS.indexOf(line.level) <= most && textOf(line).toLowerCase().includes(words),
    );
    return html`<div class="log-tail">
      <form class="filters" @submit=${(event: Event) => event.preventDefault()}>
        <label
          >${say.downTo}
          <select
            @change=${(event: Event) => {
              const level = LEVELS.find(
                (each) => event.target instanceof HTMLSelectElement && each === event.target.value,
              );
              if (level) this.level = level;
            }}
          >
            ${LEVELS.map((each) => html`<option value=${each} ?selected=${each === this.level}>${each}</option>`)}
          </select>
        </label>
        <label
          >${say.find}
          <input
            type="search"
            .value=${this.words}
            @input=${(event: Event) => {
              if (event.target instanceof HTMLInputElement) this.words = event.target.value;
            }}
          />
        </label>
        <button
          type="button"
          aria-pressed=${this.paused ? "true" : "false"}
          @click=${() => {
            this.paused = !this.paused;
          }}
        >
          ${this.paused ? say.goOn : say.pause}
        </button>
      </form>
      ${this.problem === undefined ? "" : html`<p class="line bad" role="alert">${this.problem}</p>`}
      ${
        shown.length === 0
          ? this.asked
            ? emptyState({ icon: "pulse", title: say.noLineFits })
            : ""
          : html`<elwood-row-window
              class="log-lines"
              label=${say.log}
              .rows=${shown}
              .rowHeight=${32}
              .row=${(line: Line) => this.#row(line)}
            ></elwood-row-window>`
      }
      ${
        this.chosen?.fields === undefined
          ? ""
          : html`<pre class="code log-fields" tabindex="0" aria-label=${say.details}>
${showText(JSON.stringify(this.chosen.fields, undefined, 2))}</pre>`
      }
    </div>`;
  }

  #row(line: Line): TemplateResult {
    const tone = { error: "bad", warn: "warn", info: "info", debug: "muted" }[line.level];
    const time = new Date(line.ts).toLocaleTimeString(undefined, { hour12: false });
    return html`<button
      type="button"
      class="log-line"
      aria-pressed=${line === this.chosen ? "true" : "false"}
      @click=${() => {
        this.chosen = line === this.chosen ? undefined : line;
      }}
    >
      <time datetime=${new Date(line.ts).toISOString()} title=${dateText(line.ts)}>${time}</time>
      <span class="log-level" data-tone=${tone}>${line.level}</span>
      <span class="log-words">${wordsOf(line)}</span>
    </button>`;
  }

  async #ask(): Promise<void> {
    if (this.#asking || this.paused || document.hidden || !this.app.link.ready) return;
    this.#asking = true;
    await this.#fetch();
    this.#asking = false;
  }

  async #fetch(): Promise<void> {
    try {
      const { lines, last } = await this.app.link.call("gateway.logs", {
        limit: PAGE_MAX,
        ...(this.#last > 0 ? { after: this.#last } : {}),
      });
      if (last < this.#last) {
        // A gateway that started anew counts anew: all of its lines are new.
        this.#last = 0;
        this.lines = [];
        await this.#fetch();
        return;
      }
      this.#last = last;
      this.problem = undefined;
      this.asked = true;
      if (lines.length > 0) this.lines = [...lines.toReversed(), ...this.lines].slice(0, LINES_MAX);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!error.lost) this.problem = failureText(error.failure);
    }
  }
}

/** What is searched. */
function textOf({ message, fields }: Line): string {
  return fields === undefined ? message : `${message} ${JSON.stringify(fields)}`;
}

/** A line for people: what happened, to what, and how long it took. Ids and codes are with the rest of its fields. */
function wordsOf({ message, fields = {} }: Line): string {
  const { tool, ms } = fields;
  const more = [
    ...(typeof tool === "string" ? [deedText(tool, "todo", "").words] : []),
    ...(typeof ms === "number" ? [durationText(ms)] : []),
    ...Object.values(fields).filter((value) => typeof value === "string" && value.includes(" ")),
  ];
  return showLine([message.charAt(0).toUpperCase() + message.slice(1), ...more].join(" · "));
}

customElements.define("elwood-log-tail", LogTail);
