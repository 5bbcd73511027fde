import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { rememberWelcome, welcomeMemory } from "../../app/welcome-memory.ts";
import { icon } from "../../parts/icon.ts";
import { Loader } from "../../state/loader.ts";
import type { Watched } from "@elwood/sdk/store";
import { askedText } from "../chat/asked-text.ts";
import { ChatState } from "../chat/chat-state.ts";
import { isOwnName } from "@elwood/sdk/view-state/own-name";
import type { Turn } from "@elwood/sdk/view-state/turn";
import {
  reachable,
  stepStateOf,
  STEPS,
  wordsAfter,
  wordsMeanwhile,
  type StepState,
  type StepId,
  type TourStep,
} from "./tour.ts";
import { say } from "../../words/en/welcome.ts";
import { fillIn } from "../../words/fill.ts";
import "../../parts/connect-model.ts";
import "../chat/message-list.ts";
import "../chat/chat.css";
import "../receipts/verify-panel.ts";
import "../receipts/receipts.css";

/**
 * The tour with the demo model, in a session like any other: what is sent, asked, answered
 * and recorded is real, and how far it came is read from that session after every reload.
 */
export class DemoTour extends AppElement {
  static override properties: PropertyDeclarations = { step: { state: true }, verified: { state: true } };
  declare step: TourStep;
  declare verified: boolean;
  #chat: ChatState | undefined;
  #turns: readonly Turn[] = [];
  #stopTurns: readonly (() => void)[] = [];
  #told: { runId: string; stand: StepState } | undefined;
  readonly #record = new Loader<MethodResult<"runs.activity"> | undefined>(this, async () => {
    const runId = this.#turnOf(this.step)?.runId;
    return runId === undefined ? undefined : this.app.link.call("runs.activity", { runId });
  });

  constructor() {
    super();
    this.step = STEPS.find(({ id }) => id === welcomeMemory().step) ?? STEPS[0]!;
    this.verified = false;
  }

  get chat(): ChatState {
    this.#chat ??= this.app.keep(ChatState);
    return this.#chat;
  }

  protected override watches(): readonly Watched[] {
    return [this.chat.open, this.chat.changed, this.chat.problem, this.app.waiting.all, this.app.status];
  }

  protected override entered(): readonly (() => void)[] {
    const { session } = welcomeMemory();
    if (session === undefined) this.chat.showNew();
    else this.chat.show(session);
    return [() => this.#watchTurns([])];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const { sessionKey, turns, loaded } = this.chat.open.value;
    if (!isOwnName(sessionKey) && welcomeMemory().session !== sessionKey)
      rememberWelcome({ session: sessionKey });
    this.#watchTurns(turns.value);
    const last = STEPS[this.#reachable()];
    if (loaded && last && STEPS.indexOf(this.step) > STEPS.indexOf(last)) this.#show(last);
    this.#tell();
  }

  protected override render(): unknown {
    return html`<section class="tour" aria-labelledby="tour-step">
      <ol class="tour-steps">
        ${STEPS.map((step, index) => this.#stepButton(step, index))}
      </ol>
      <div class="tour-now">
        <div class="tour-words">
          <h2 id="tour-step" tabindex="-1">${this.step.title}</h2>
          <p>${this.step.shows}</p>
        </div>
        ${this.#inside()}
      </div>
    </section>`;
  }

  #stepButton(step: TourStep, index: number): TemplateResult {
    const over = this.#isOver(step.id);
    return html`<li>
      <button
        type="button"
        aria-current=${step === this.step ? "step" : nothing}
        ?disabled=${index > this.#reachable()}
        @click=${() => void this.#go(step)}
      >
        <span class="tour-mark" data-over=${over ? "yes" : nothing}
          >${over ? icon("check", 14) : String(index + 1)}</span
        ><span class="tour-title">${step.title}</span
        >${over ? html`<span class="unseen">${say.done}</span>` : nothing}
      </button>
    </li>`;
  }

  #inside(): TemplateResult {
    const { id, message } = this.step;
    if (message !== undefined) return this.#talk(message);
    if (id === "verify") {
      return html`<div class="card" @verified=${() => (this.verified = true)}>
          <elwood-verify-panel .app=${this.app}></elwood-verify-panel>
        </div>
        <div class="tour-foot">${this.#next(this.verified)}</div>`;
    }
    return html`<elwood-connect-model .app=${this.app}></elwood-connect-model>
      <p class="tour-buttons"><a class="button" href=${this.#chatPath()}>${say.toTheChat}</a></p>`;
  }

  #talk(message: string): TemplateResult {
    const turn = this.#turnOf(this.step);
    const stand = this.#stand(this.step);
    const problem = this.chat.problem.value ?? this.chat.open.value.problem.value;
    const calls = this.#record.value?.activity;
    const words = stand === "over" ? (calls ? wordsAfter(calls) : "") : wordsMeanwhile(this.step.id, stand);
    return html`${problem === undefined ? nothing : this.#problem(problem)}
      ${
        turn
          ? html`<div class="tour-talk">
              <elwood-message-list
                .app=${this.app}
                .conversation=${this.chat.open.value}
                .turns=${[turn]}
              ></elwood-message-list>
            </div>`
          : html`<div class="card tour-say">
              <p class="hint">${say.youSayToTheDemoModel}</p>
              <pre class="code">${message}</pre>
              <div>
                <button type="button" class="primary" data-first @click=${() => this.#say(message)}>
                  ${say.sendIt}
                </button>
              </div>
            </div>`
      }
      <div class="tour-foot">
        <p role="status">${words}</p>
        ${stand === "over" ? this.#next(true) : nothing}
      </div>`;
  }

  #chatPath(): string {
    const { sessionKey } = this.chat.open.value;
    return isOwnName(sessionKey) ? "/c/new" : `/c/${encodeURIComponent(sessionKey)}`;
  }

  #problem(problem: string): TemplateResult {
    return html`<p class="line bad" role="alert">
      ${problem} <button type="button" @click=${() => this.#again()}>${say.beginAgain}</button>
    </p>`;
  }

  #next(primary: boolean): unknown {
    const following = STEPS[STEPS.indexOf(this.step) + 1];
    if (!following) return nothing;
    return html`<button
      type="button"
      class=${primary ? "primary" : ""}
      data-next
      @click=${() => void this.#go(following)}
    >
      ${fillIn(say.next, following.title)}${icon("right", 16)}
    </button>`;
  }

  #say(text: string): void {
    this.chat.send({ text, files: [] });
    this.querySelector<HTMLElement>("#tour-step")?.focus({ preventScroll: true });
  }

  #again(): void {
    rememberWelcome({ session: undefined, step: undefined });
    this.chat.showNew();
    this.#show(STEPS[0]!);
  }

  /** Pressed: the reader goes on there, with the keyboard too. */
  async #go(step: TourStep): Promise<void> {
    this.#show(step);
    await this.updateComplete;
    const first = this.querySelector<HTMLElement>("[data-first], .verify button, [data-next]");
    (first ?? this.querySelector<HTMLElement>("#tour-step"))?.focus();
    this.closest("main")?.scrollTo({ top: 0 });
  }

  #show(step: TourStep): void {
    if (step === this.step) return;
    this.step = step;
    this.#record.clear();
    this.#told = undefined;
    rememberWelcome({ step: step.id });
  }

  /** Once for each change: fetches the record of what ended, and hands the focus on. */
  #tell(): void {
    const runId = this.#turnOf(this.step)?.runId;
    const stand = this.#stand(this.step);
    if (runId === undefined || (this.#told?.runId === runId && this.#told.stand === stand)) return;
    const before = this.#told;
    this.#told = { runId, stand };
    if (stand === "over") void this.#record.load();
    if (before === undefined && stand === "over") return;
    if (stand === "over" || stand === "waits for you") void this.#handOn(stand);
  }

  /** To the card, or to the next step, for whoever is in the tour and nowhere else. */
  async #handOn(stand: StepState): Promise<void> {
    await this.updateComplete;
    const wanted = stand === "over" ? "[data-next]" : ".approval";
    for (let frame = 0; frame < FRAMES_MAX; frame++) {
      const { activeElement } = document;
      if (activeElement !== document.body && !this.contains(activeElement)) return;
      const found = this.querySelector<HTMLElement>(wanted);
      if (found) {
        found.focus({ preventScroll: true });
        // What ended is read at its end; what waits, from its beginning.
        if (stand === "over") this.querySelector(".tour-talk")?.scrollIntoView({ block: "end" });
        else found.scrollIntoView({ block: "nearest" });
        return;
      }
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  #turnOf({ message }: TourStep): Turn | undefined {
    if (message === undefined) return undefined;
    return this.#turns.findLast((turn) => (turn.draft?.text ?? askedText(turn)) === message);
  }

  #stand(step: TourStep): StepState {
    const turn = this.#turnOf(step);
    const approvals = turn?.runId === undefined ? [] : this.app.waiting.ofRun(turn.runId);
    return stepStateOf(
      turn,
      approvals.some(({ decided }) => decided.status === "pending"),
    );
  }

  #isOver(id: StepId): boolean {
    if (id === "verify") return this.verified;
    if (id === "connect") return this.app.status.value?.demo === false;
    return STEPS.some((step) => step.id === id && this.#stand(step) === "over");
  }

  #reachable(): number {
    return reachable((id) => this.#isOver(id));
  }

  #watchTurns(turns: readonly Turn[]): void {
    if (turns === this.#turns) return;
    this.#turns = turns;
    for (const stop of this.#stopTurns) stop();
    this.#stopTurns = turns.map((turn) => turn.changed.subscribe(() => this.requestUpdate()));
  }
}

/** A card is drawn a few frames after it is known; about two seconds of them. */
const FRAMES_MAX = 120;

customElements.define("elwood-demo-tour", DemoTour);
