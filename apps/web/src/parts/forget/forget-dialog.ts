import { html, nothing, render, type TemplateResult } from "lit";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { WireForgetReport } from "@elwood/core/protocol/memory-shapes";
import type { AppContext } from "../../app/context.ts";
import { RequestError } from "@elwood/sdk/client";
import { bytesText, countText } from "../format.ts";
import { spokenText } from "../markdown/spoken-text.ts";
import { placeWords, removedWords } from "./forget-words.ts";
import { say } from "../../words/en/parts.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "./forget.css";
import { failureText } from "../../words/gateway.ts";

export type ForgetAsked = Pick<MethodParams<"memory.forget">, "note" | "place" | "turn" | "session" | "word">;

type State =
  | { readonly step: "word" }
  | { readonly step: "looking" }
  | { readonly step: "plan"; readonly plan: WireForgetReport }
  | { readonly step: "forgetting"; readonly plan: WireForgetReport }
  | { readonly step: "done"; readonly report: WireForgetReport }
  | { readonly step: "failed"; readonly message: string };

/**
 * Says what would go, asks, and then says what went, where it still is and what is out of
 * reach. Without `asked` it asks for a word first. Resolves with true where something was forgotten.
 */
export function forgetDialog(app: AppContext, title: string, asked?: ForgetAsked): Promise<boolean> {
  return new ForgetDialog(app, title, asked).open();
}

class ForgetDialog {
  readonly #app: AppContext;
  readonly #title: string;
  readonly #element = document.createElement("dialog");
  #state: State;
  #what: ForgetAsked;
  #backups = false;

  constructor(app: AppContext, title: string, asked: ForgetAsked | undefined) {
    this.#app = app;
    this.#title = title;
    this.#state = asked ? { step: "looking" } : { step: "word" };
    this.#what = asked ?? {};
    this.#element.className = "dialog forget-dialog";
    this.#element.setAttribute("aria-labelledby", "forget-title");
  }

  /** Resolves when it is closed. */
  open(): Promise<boolean> {
    const dialog = this.#element;
    return new Promise((resolve) => {
      dialog.addEventListener("cancel", (event) => {
        // What has begun is done; closing the dialog would not stop it.
        if (this.#state.step === "forgetting") event.preventDefault();
      });
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(this.#state.step === "done");
      });
      document.body.append(dialog);
      dialog.showModal();
      if (this.#state.step === "looking") void this.#look();
      else this.#show(this.#state);
    });
  }

  async #look(): Promise<void> {
    this.#show({ step: "looking" });
    try {
      const plan = await this.#app.link.call("memory.forget", { ...this.#asked(), dryRun: true });
      if (this.#element.open) this.#show({ step: "plan", plan });
    } catch (error) {
      this.#fail(error);
    }
  }

  async #forget(plan: WireForgetReport): Promise<void> {
    this.#show({ step: "forgetting", plan });
    const confirm = plan.kind === "word" ? { confirm: plan.total } : {};
    try {
      const report = await this.#app.link.call("memory.forget", { ...this.#asked(), ...confirm });
      this.#app.announce(say.forgotten);
      this.#show({ step: "done", report });
    } catch (error) {
      this.#fail(error);
    }
  }

  #asked(): ForgetAsked & { backups?: boolean } {
    return { ...this.#what, ...(this.#backups ? { backups: true } : {}) };
  }

  #fail(error: unknown): void {
    if (!(error instanceof RequestError)) throw error;
    const lost = say.elwoodCannotBeReachedNowLook;
    this.#show({ step: "failed", message: error.lost ? lost : failureText(error.failure) });
  }

  #show(next: State): void {
    this.#state = next;
    render(
      html`<h2 id="forget-title">${this.#title}</h2>
        <div class="dialog-text forget-text" aria-live="polite">${this.#inside()}</div>
        <div class="dialog-buttons">${this.#buttons()}</div>`,
      this.#element,
    );
    this.#element.querySelector<HTMLElement>("[data-focus]")?.focus();
  }

  #inside(): unknown {
    const state = this.#state;
    switch (state.step) {
      case "word":
        return this.#wordForm();
      case "looking":
        return html`<p class="hint" aria-busy="true">${say.lookingThroughEverything}</p>`;
      case "plan":
        return planView(state.plan, this.#backups, (wanted) => {
          this.#backups = wanted;
          void this.#look();
        });
      case "forgetting":
        return html`<p class="hint" aria-busy="true">${say.forgettingAndLookingForItIn}</p>`;
      case "done":
        return resultView(state.report);
      case "failed":
        return html`<p class="line bad" role="alert">${state.message}</p>`;
      default: {
        const never: never = state;
        return never;
      }
    }
  }

  #wordForm(): TemplateResult {
    const submitted = (event: SubmitEvent) => {
      event.preventDefault();
      const form = event.currentTarget;
      const word = form instanceof HTMLFormElement ? new FormData(form).get("word") : "";
      if (typeof word !== "string" || word.trim() === "") return;
      this.#what = { word: word.trim() };
      void this.#look();
    };
    return html`<form id="forget-word" @submit=${submitted}>
      <label
        >${say.everythingThatHoldsThisWordOr}
        <input name="word" type="text" required minlength="2" maxlength="200" autocomplete="off" data-focus />
      </label>
      <p class="hint">${say.whateverItsCaseAlsoAsA}</p>
    </form>`;
  }

  #buttons(): unknown {
    const state = this.#state;
    const close = () => this.#element.close();
    if (state.step === "done" || state.step === "failed")
      return html`<button type="button" class="primary" data-focus @click=${close}>${say.close}</button>`;
    const cancel = html`<button
      type="button"
      data-focus=${state.step === "plan" ? "" : nothing}
      @click=${close}
    >
      ${say.cancel}
    </button>`;
    if (state.step === "word")
      return html`${cancel}<button type="submit" form="forget-word" class="primary">
          ${say.seeWhatWouldGo}
        </button>`;
    if (state.step !== "plan") return state.step === "forgetting" ? nothing : cancel;
    const { plan } = state;
    const none = plan.total === 0 && plan.removed.backups === 0;
    return html`${cancel}<button
        type="button"
        class="danger"
        ?disabled=${none || plan.busy.length > 0}
        @click=${() => void this.#forget(plan)}
      >
        ${plan.total === 1 ? say.forgetIt : fill(say.forgetAll, plan.total)}
      </button>`;
  }
}

function planView(
  plan: WireForgetReport,
  backups: boolean,
  setBackups: (wanted: boolean) => void,
): TemplateResult {
  const words = removedWords(plan);
  const forms = plan.forms ?? [];
  const inBackups = backups || plan.still.some(({ path }) => path.startsWith("backups/"));
  return html`${
    words.length === 0
      ? html`<p>${say.nothingWasFound}</p>`
      : html`<p><strong>${say.wouldBeForgottenForGood}</strong> ${words.join(", ")}.</p>`
  }
  ${forms.length > 1 ? html`<p class="hint">${fillIn(say.foundInTheseWords, forms.join(", "))}</p>` : nothing}
  ${
    plan.places.length === 0
      ? nothing
      : html`<ul class="forget-places" tabindex="0" aria-label=${say.whatWouldGo}>
          ${plan.places.map(
            ({ source, line, text, kind }) =>
              html`<li>
                <span class="hint"
                  >${kind === "message" || kind === "note" ? "" : `${kind} · `}${placeWords(source, line)}</span
                >
                <span>${spokenText(text)}</span>
              </li>`,
          )}
        </ul>`
  }
  ${plan.busy.length > 0 ? html`<p class="line warn">${say.somethingThatHoldsItIsStill}</p>` : nothing}
  ${
    inBackups
      ? html`<label class="check"
          ><input
            type="checkbox"
            .checked=${backups}
            @change=${(event: Event) => event.target instanceof HTMLInputElement && setBackups(event.target.checked)}
          />
          ${say.alsoDeleteOwnBackupsOfThe}</label
        >`
      : nothing
  }
  ${stillView(plan, say.staysIn)} ${reachView(plan)}`;
}

function resultView(report: WireForgetReport): TemplateResult {
  const { files, bytes } = report.searched;
  const words = removedWords(report);
  return html`<p>
      <strong>${say.forgotten2}</strong> ${words.length === 0 ? say.nothingWasThere : words.join(", ")}.
    </p>
    <p class="line ${report.still.length === 0 ? "ok" : "warn"}">
      ${fillIn(say.lookedForItInTheBytes, countText(files, say.file, say.files), bytesText(bytes), report.still.length === 0 ? say.itIsInNoneOfThem : say.itIsStillInSome)}
    </p>
    ${stillView(report, say.stillIn)}
    ${report.unread.map((path) => html`<p class="line warn">${fillIn(say.notSearched, html`<code>${path}</code>`)}</p>`)}
    ${reachView(report)}
    ${
      report.receiptId === undefined
        ? nothing
        : html`<p class="hint">
            ${fillIn(say.saysThatSomethingWasForgottenNot, html`<a href="/receipts/${encodeURIComponent(report.receiptId)}">${say.theReceipt}</a>`)}
          </p>`
    }`;
}

function stillView({ still }: WireForgetReport, words: string): unknown {
  if (still.length === 0) return nothing;
  return html`<ul class="forget-still">
    ${still.map(({ path, why }) => html`<li>${words} <code>${path}</code>: ${why}</li>`)}
  </ul>`;
}

function reachView({ outOfReach }: WireForgetReport): TemplateResult {
  return html`<details class="raw">
    <summary>${say.outOfReach}</summary>
    <ul class="forget-still">
      ${outOfReach.map((each) => html`<li>${each}</li>`)}
    </ul>
  </details>`;
}
