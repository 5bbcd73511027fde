import { showLine, showText } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { Span, Timeline } from "@elwood/core/protocol/call-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { isEnded } from "@elwood/core/message/session";
import { RUN_WORDS } from "@elwood/core/base/state-words";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { dateText, durationText, runCostText } from "../../parts/format.ts";
import {
  copyButton,
  copyText,
  idLabel,
  loadedView,
  pageHead,
  stateBadge,
  tabNav,
} from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import "../../parts/evidence/evidence.ts";
import "./run-events.ts";
import "./timeline-view.ts";
import "./span-inspector.ts";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { surfaceText } from "../../words/states.ts";
import { say } from "../../words/en/runs.ts";
import { fill, fillIn } from "../../words/fill.ts";
import { failureText } from "../../words/gateway.ts";

const LOOK_EVERY_MS = 1_500;

const TABS = [
  {
    id: "timeline",
    get title() {
      return say.timeline;
    },
  },
  {
    id: "events",
    get title() {
      return say.events;
    },
  },
  {
    id: "raw",
    get title() {
      return say.raw;
    },
  },
  {
    id: "evidence",
    get title() {
      return say.evidence;
    },
  },
] as const;

interface RunFacts {
  readonly run: MethodResult<"runs.get">["run"];
  readonly timeline: Timeline;
  readonly activity: MethodResult<"runs.activity">;
}

/** One run: where its time went and what lies behind each piece, what was put on record of it, and its evidence. */
export class RunView extends AppElement {
  static override properties: PropertyDeclarations = {
    runId: { attribute: false },
    tab: { attribute: false },
    chosen: { state: true },
  };
  declare runId: string;
  /** Which of its parts is shown, as the address says. */
  declare tab: string | null;
  declare chosen: Span | undefined;
  #asked: string | undefined;
  readonly #loader = new Loader<RunFacts>(this, async () => {
    const { link } = this.app;
    const { runId } = this;
    const [{ run }, timeline, activity] = await Promise.all([
      link.call("runs.get", { runId }),
      link.call("runs.timeline", { runId }),
      link.call("runs.activity", { runId }),
    ]);
    return { run, timeline, activity };
  });

  protected override entered(): readonly (() => void)[] {
    const timer = window.setInterval(() => {
      const run = this.#loader.value?.run;
      if (run && !isEnded(run.status) && !document.hidden && this.app.link.ready) void this.#loader.load();
    }, LOOK_EVERY_MS);
    return [this.app.link.onReady(() => void this.#loader.load()), () => clearInterval(timer)];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#asked !== undefined && this.#asked !== this.runId) {
      this.chosen = undefined;
      this.#loader.clear();
      void this.#loader.load();
    }
    this.#asked = this.runId;
  }

  protected override render(): unknown {
    return html`<div class="page-body run-view">
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "runs", title: "" },
        heading: say.run,
        view: (facts) => this.#view(facts),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view(facts: RunFacts): TemplateResult {
    const { run } = facts;
    const tab = TABS.find(({ id }) => id === this.tab)?.id ?? "timeline";
    return html`${pageHead(
        showLine(run.summary ?? say.run),
        say.oneMessageAndAllThatCame,
        html`${this.#actions(run)}`,
      )}
      <p class="run-facts">
        ${stateBadge(RUN_WORDS, run.status)}
        <span>${surfaceText(run.surface)}</span>
        <span>${dateText(run.queuedAt)}</span>
        ${run.model === undefined ? nothing : html`<span>${run.model}</span>`}
        ${run.usage.outputTokens === 0 ? nothing : html`<span>${say.cost}: ${runCostText(run.costUsd)}</span>`}
        ${run.attempt > 1 ? html`<span>${fillIn(say.takenUpTimeS, run.attempt - 1)}</span>` : nothing}
      </p>
      <details class="raw run-id">
        <summary>${say.details}</summary>
        ${idLabel(run.runId)}
      </details>
      ${run.failure ? html`<p class="line bad">${failureText(run.failure)}</p>` : nothing}
      ${tabNav(say.partsOfTheRun, TABS, tab, `/runs/${encodeURIComponent(run.runId)}`)}
      ${this.#part(tab, facts)}`;
  }

  #part(tab: string, { run, timeline, activity }: RunFacts): TemplateResult {
    if (tab === "events")
      return html`<elwood-run-events
        .app=${this.app}
        .runId=${run.runId}
        .start=${run.queuedAt}
        .stamp=${isEnded(run.status) ? 0 : timeline.now}
      ></elwood-run-events>`;
    if (tab === "evidence")
      return html`<elwood-evidence
        .app=${this.app}
        .runId=${run.runId}
        .line=${activity.evidence}
        .open=${true}
      ></elwood-evidence>`;
    if (tab === "raw") {
      const raw = JSON.stringify({ run, timeline, activity }, undefined, 2);
      return html`<div class="run-raw">
        <p class="hint">${say.theRunAsTheGatewayTells} ${copyButton(raw, say.copyAllOfIt)}</p>
        <pre class="code" tabindex="0" aria-label=${say.theRunAsTheGatewayTells2}>${showText(raw)}</pre>
      </div>`;
    }
    return html`<div class="run-columns">
      <elwood-timeline-view
        .timeline=${timeline}
        .chosen=${this.chosen}
        @choose=${(event: CustomEvent<Span>) => {
          this.chosen = event.detail;
        }}
      ></elwood-timeline-view>
      <elwood-span-inspector
        .app=${this.app}
        .span=${this.chosen}
        .spans=${timeline.spans}
      ></elwood-span-inspector>
    </div>`;
  }

  #actions(run: RunFacts["run"]): TemplateResult {
    const { sessionKey, runId, status } = run;
    const place = `/c/${encodeURIComponent(sessionKey)}?run=${encodeURIComponent(runId)}`;
    return html`<a class="button" href=${place}>${say.openTheConversation}</a>
      <button type="button" @click=${() => void this.#copy(run)}>${say.copyAsCommand}</button>
      ${
        isEnded(status)
          ? this.app.link.has("sessions.fork")
            ? html`<button type="button" @click=${() => void this.#branch(run)}>
                ${fillIn(say.againInABranch, status === "failed" ? say.try : say.run)}
              </button>`
            : nothing
          : html`<button type="button" class="danger" @click=${() => void this.#stop(run)}>
              ${say.stop}
            </button>`
      }`;
  }

  async #stop({ runId, startedAt }: RunFacts["run"]): Promise<void> {
    const since =
      startedAt === undefined ? "" : fill(say.itHasRunFor, durationText(this.app.link.now() - startedAt));
    const sure = await confirmDialog({
      title: say.stopThisRun,
      text: fill(say.whatItWroteAndDidIs, since),
      yes: say.stopIt,
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("chat.abort", { runId }));
    await this.#loader.load();
  }

  /** The conversation as it was before this run, with the same message to be sent anew. */
  async #branch(run: RunFacts["run"]): Promise<void> {
    const { link } = this.app;
    const { sessionKey, runId } = run;
    const made = await this.app.attempt(async () => {
      const said = await this.#said(run);
      if (!said) return undefined;
      const fork = await link.call("sessions.fork", { sessionKey, runId, include: false });
      await link.call("chat.send", { sessionKey: fork.sessionKey, ...said });
      return fork;
    });
    if (made) this.app.router.go(`/c/${encodeURIComponent(made.sessionKey)}`);
  }

  /** There is no way to begin a run by one request over http, so this is what a terminal can do. */
  async #copy(run: RunFacts["run"]): Promise<void> {
    const said = await this.app.attempt(() => this.#said(run));
    if (!said) return;
    const command = commandFor(said, run.sessionKey);
    if (command === undefined) this.#tell(say.filesCameWithThisMessageAnd);
    else if (await copyText(command)) this.app.toasts.show(say.copiedItSaysTheSameAgain);
    else this.#tell(fill(say.theBrowserDoesNotLetThis, command));
  }

  async #said({ sessionKey, runId }: RunFacts["run"]): Promise<Said | undefined> {
    const { messages } = await this.app.link.call("sessions.get", { sessionKey });
    const said = saidIn(messages, runId);
    if (!said) this.#tell(say.noMessageOfYoursBeganThis);
    return said;
  }

  #tell(text: string): void {
    this.app.toasts.show(text, { tone: "bad" });
  }
}

/** What began a run, as it would be said again. */
export type Said = Pick<MethodParams<"chat.send">, "message" | "parts">;

type Part = NonNullable<Said["parts"]>[number];

/** The owner's message with all that came with it, or nothing where something else set the run off. */
export function saidIn(messages: readonly WireMessage[], runId: string): Said | undefined {
  const asked = messages.find(
    (each) => each.runId === runId && each.role === "user" && each.origin === "owner",
  );
  if (!asked) return undefined;
  const own: string[] = [];
  const parts: Part[] = [];
  for (const block of asked.blocks) {
    const { origin = "owner" } = "origin" in block ? block : {};
    if (block.type === "text" && origin === "owner") own.push(block.text);
    else if (block.type === "text" && (origin === "piped" || origin === "quoted" || origin === "forwarded"))
      parts.push({ kind: "text", text: block.text, origin });
    else if (block.type === "image" || block.type === "file")
      parts.push({
        kind: "blob",
        blobId: block.blobId,
        origin: "attached",
        ...(block.name === undefined ? {} : { name: block.name }),
      });
  }
  return { message: own.join("\n\n"), ...(parts.length > 0 ? { parts } : {}) };
}

/**
 * The command that says the same again in its session. It needs no token in it: the command
 * line has its own. Nothing where files came with the message, which it cannot attach.
 */
export function commandFor({ message, parts = [] }: Said, sessionKey: string): string | undefined {
  const texts = parts.map((part) =>
    part.kind === "text" && part.origin === "piped" ? part.text : undefined,
  );
  if (texts.includes(undefined) || texts.length > 1 || message === "") return undefined;
  const command = `elwood --session ${quoted(sessionKey)} -- ${quoted(message)}`;
  return texts[0] === undefined ? command : `printf %s ${quoted(texts[0])} | ${command}`;
}

/** As one word of a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

customElements.define("elwood-run-view", RunView);
