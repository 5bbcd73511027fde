import { html, nothing, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { textIn } from "../../parts/form-text.ts";
import { say } from "../../words/en/jobs.ts";
import { problemText } from "../../words/gateway.ts";

type When = "at" | "every" | "cron";

const WHENS: readonly { readonly when: When; readonly words: string; readonly hint: string }[] = [
  {
    when: "at",
    get words() {
      return say.once;
    },
    get hint() {
      return say.byYourClock;
    },
  },
  {
    when: "every",
    get words() {
      return say.atAnInterval;
    },
    get hint() {
      return say.suchAs30m2hOr1d;
    },
  },
  {
    when: "cron",
    get words() {
      return say.byACronExpression;
    },
    get hint() {
      return say.minuteHourDayMonthWeekday0;
    },
  },
];

/** Takes a new job or reminder. What the gateway refuses is told under the form, and nothing is lost. */
export class JobForm extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    kind: { state: true },
    when: { state: true },
    problem: { state: true },
    busy: { state: true },
  };
  declare kind: "reminder" | "task";
  declare when: When;
  declare problem: string;
  declare busy: boolean;

  constructor() {
    super();
    this.kind = "reminder";
    this.when = "at";
    this.problem = "";
    this.busy = false;
  }

  protected override render(): unknown {
    const { hint } = WHENS.find(({ when }) => when === this.when)!;
    return html`<form class="card job-form" @submit=${(event: Event) => void this.#create(event)}>
      <h2>${say.newJob}</h2>
      <fieldset class="job-kinds">
        <legend>${say.whatIsToHappen}</legend>
        <label
          ><input
            type="radio"
            name="kind"
            .checked=${this.kind === "reminder"}
            @change=${() => (this.kind = "reminder")}
          />${say.remindMeTheTextComesAs}</label
        >
        <label
          ><input
            type="radio"
            name="kind"
            .checked=${this.kind === "task"}
            @change=${() => (this.kind = "task")}
          />${say.askElwoodTheMessageIsSent}</label
        >
      </fieldset>
      <label for="job-message">${this.kind === "reminder" ? say.text : say.message}</label>
      <textarea id="job-message" name="message" rows="3" required maxlength="20000"></textarea>
      <label for="job-when">${say.when}</label>
      <select id="job-when" @change=${(event: Event) => this.#chosen(event)}>
        ${WHENS.map(({ when, words }) => html`<option value=${when} ?selected=${when === this.when}>${words}</option>`)}
      </select>
      ${
        this.when === "at"
          ? html`<input
              name="time"
              type="datetime-local"
              required
              aria-label=${say.dateAndTime}
              aria-describedby="job-hint"
            />`
          : html`<input
              name="time"
              type="text"
              required
              autocomplete="off"
              spellcheck="false"
              placeholder=${this.when === "every" ? "30m" : "0 8 * * 1-5"}
              aria-label=${this.when === "every" ? say.interval : say.cronExpression}
              aria-describedby="job-hint"
            />`
      }
      <p id="job-hint" class="hint">${hint}</p>
      <label for="job-name">${say.name}</label>
      <input id="job-name" name="name" maxlength="80" autocomplete="off" aria-describedby="job-name-hint" />
      <p id="job-name-hint" class="hint">${say.mayBeLeftEmpty}</p>
      <label for="job-target">${say.whereTo}</label>
      <input
        id="job-target"
        name="target"
        maxlength="200"
        autocomplete="off"
        placeholder=${say.page}
        aria-describedby="job-target-hint"
      />
      <p id="job-target-hint" class="hint">${say.thePageShowsItAnywayA}</p>
      ${this.problem === "" ? nothing : html`<p class="line bad" role="alert">${this.problem}</p>`}
      <p class="settings-buttons">
        <button type="submit" class="primary" ?disabled=${this.busy}>${say.addIt}</button>
        <button type="button" @click=${() => this.#close()}>${say.cancel}</button>
      </p>
    </form>`;
  }

  #chosen({ target }: Event): void {
    const chosen = WHENS.find(({ when }) => target instanceof HTMLSelectElement && when === target.value);
    if (chosen) this.when = chosen.when;
  }

  async #create(event: Event): Promise<void> {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const data = new FormData(event.target);
    const [name, target] = [textIn(data, "name"), textIn(data, "target")];
    this.busy = true;
    this.problem = "";
    try {
      await this.app.link.call("jobs.create", {
        kind: this.kind,
        message: textIn(data, "message"),
        [this.when]: textIn(data, "time"),
        ...(name === "" ? {} : { name }),
        ...(target === "" ? {} : { target }),
      });
      this.#close();
    } catch (error) {
      this.problem = problemText(error);
    } finally {
      this.busy = false;
    }
  }

  #close(): void {
    this.dispatchEvent(new CustomEvent("elwood-form-closed", { bubbles: true }));
  }
}

customElements.define("elwood-job-form", JobForm);
