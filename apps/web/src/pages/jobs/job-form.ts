import { html, nothing, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { textIn } from "../../parts/form-text.ts";

type When = "at" | "every" | "cron";

const WHENS: readonly { readonly when: When; readonly words: string; readonly hint: string }[] = [
  { when: "at", words: "Once", hint: "By your clock." },
  { when: "every", words: "At an interval", hint: "Such as 30m, 2h or 1d." },
  {
    when: "cron",
    words: "By a cron expression",
    hint: "Minute, hour, day, month, weekday: 0 8 * * 1-5 is every working day at 8.",
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
      <h2>New job</h2>
      <fieldset class="job-kinds">
        <legend>What is to happen</legend>
        <label
          ><input
            type="radio"
            name="kind"
            .checked=${this.kind === "reminder"}
            @change=${() => (this.kind = "reminder")}
          />Remind me: the text comes as it stands, without a model</label
        >
        <label
          ><input
            type="radio"
            name="kind"
            .checked=${this.kind === "task"}
            @change=${() => (this.kind = "task")}
          />Ask Elwood: the message is sent to the assistant, and its reply comes to you</label
        >
      </fieldset>
      <label for="job-message">${this.kind === "reminder" ? "Text" : "Message"}</label>
      <textarea id="job-message" name="message" rows="3" required maxlength="20000"></textarea>
      <label for="job-when">When</label>
      <select id="job-when" @change=${(event: Event) => this.#chosen(event)}>
        ${WHENS.map(({ when, words }) => html`<option value=${when} ?selected=${when === this.when}>${words}</option>`)}
      </select>
      ${
        this.when === "at"
          ? html`<input
              name="time"
              type="datetime-local"
              required
              aria-label="Date and time"
              aria-describedby="job-hint"
            />`
          : html`<input
              name="time"
              type="text"
              required
              autocomplete="off"
              spellcheck="false"
              placeholder=${this.when === "every" ? "30m" : "0 8 * * 1-5"}
              aria-label=${this.when === "every" ? "Interval" : "Cron expression"}
              aria-describedby="job-hint"
            />`
      }
      <p id="job-hint" class="hint">${hint}</p>
      <label for="job-name">Name</label>
      <input id="job-name" name="name" maxlength="80" autocomplete="off" aria-describedby="job-name-hint" />
      <p id="job-name-hint" class="hint">May be left empty.</p>
      <label for="job-target">Where to</label>
      <input
        id="job-target"
        name="target"
        maxlength="200"
        autocomplete="off"
        placeholder="page"
        aria-describedby="job-target-hint"
      />
      <p id="job-target-hint" class="hint">
        The page shows it anyway; a chat such as telegram:12345 gets it too.
      </p>
      ${this.problem === "" ? nothing : html`<p class="line bad" role="alert">${this.problem}</p>`}
      <p class="settings-buttons">
        <button type="submit" class="primary" ?disabled=${this.busy}>Add it</button>
        <button type="button" @click=${() => this.#close()}>Cancel</button>
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
      this.problem = error instanceof Error ? error.message : "That did not work. Nothing was added.";
    } finally {
      this.busy = false;
    }
  }

  #close(): void {
    this.dispatchEvent(new CustomEvent("elwood-form-closed", { bubbles: true }));
  }
}

customElements.define("elwood-job-form", JobForm);
