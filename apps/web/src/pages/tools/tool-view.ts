import { showText } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { RISK_WORDS } from "@elwood/core/base/state-words";
import { LABEL_WORDS, TOOL_LABELS, type ToolLabel } from "@elwood/core/tool/tool-label";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { countText, durationText } from "../../parts/format.ts";
import { callBadge, loadedView, notPermitted, pageHead, stateBadge } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/tools.ts";
import { gatewayText } from "../../words/gateway.ts";
import { fill } from "../../words/fill.ts";
import { toolAbout, toolName } from "../../words/tool-text.ts";
import "./try-call.ts";

type Tool = MethodResult<"tools.get">["tool"];

const DAY_MS = 86_400_000;
const COUNTED_MAX = 200;

interface Found {
  readonly tool: Tool;
  /** How its calls of the last day came out, and how many did so. */
  readonly outcomes: readonly Outcome[];
}

interface Outcome {
  readonly status: string;
  readonly exitCode: number | undefined;
  readonly count: string;
}

/** One tool: its contract in words, what it was like lately, and a way to ask what would become of a call. */
export class ToolView extends AppElement {
  static override properties: PropertyDeclarations = { toolId: { attribute: false } };
  declare toolId: string;
  #asked: string | undefined;
  readonly #loader = new Loader<Found>(this, () => this.#fetch());

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#asked !== undefined && this.#asked !== this.toolId) {
      this.#loader.clear();
      void this.#loader.load();
    }
    this.#asked = this.toolId;
  }

  async #fetch(): Promise<Found> {
    const { link } = this.app;
    const { toolId } = this;
    const [{ tool }, ...counts] = await Promise.all([
      link.call("tools.get", { toolId }),
      ...(["succeeded", "failed", "denied", "expired", "unknown"] as const).map(async (status) => {
        const { receipts, next } = await link.call("receipts.list", {
          toolId,
          status,
          since: link.now() - DAY_MS,
          limit: COUNTED_MAX,
        });
        const byCall = new Map(receipts.map(({ callId, payload }) => [callId, payload["exitCode"]]));
        const byCode = Map.groupBy(byCall.values(), (code) => (typeof code === "number" ? code : undefined));
        // Not all were looked at: then there are so many, or more.
        const more = next === undefined ? "" : "+";
        return [...byCode].map(([exitCode, { length }]): Outcome => ({
          status,
          exitCode,
          count: `${length}${more}`,
        }));
      }),
    ]);
    return { tool, outcomes: counts.flat() };
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "tools", title: "" },
        heading: say.tool,
        view: (found) => this.#view(found),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view({ tool, outcomes }: Found): TemplateResult {
    const { labels } = tool;
    return html`${pageHead(
        toolName(tool.toolId),
        toolAbout(tool.toolId, tool.description),
        html`<a class="button" href="/tools">${say.allTools}</a> ${this.#standing(tool)}`,
      )}
      <div class="tool-columns">
        <section>
          <h2>${say.contract}</h2>
          <dl class="facts">
            ${fact(say.risk, stateBadge(RISK_WORDS, tool.risk))}
            ${fact(say.comesFrom, sourceWords(tool.source))}
            ${fact(say.usesTheInternet, labels.egress === "none" ? say.no : labels.egress)}
            ${fact(say.itsOutput, labels.output === "trusted" ? say.itsOwn : say.mayBeUntrusted)}
            ${labels.critical.length > 0 ? fact(say.asksAbout, labels.critical.includes("*") ? say.everythingItIsCalledWith : labels.critical.join(", ")) : nothing}
            ${tool.policy ? fact(say.saysItself, tool.policy.default) : nothing}
            ${tool.requiresApproval ? fact(say.approval, say.everyCallAsks) : nothing}
            ${fact(say.showsBeforehand, tool.canPreview ? say.whatWouldChange : say.itsInput)}
            ${fact(say.canBeUndone, tool.canUndo ? say.yes : say.no)}
            ${fact(say.ifItBreaksOff, brokenOff(tool))} ${fact(say.timeLimit, durationText(tool.timeoutMs))}
            ${tool.secrets.length > 0 ? fact(say.secretsItGets, secretsText(tool)) : nothing}
            ${tool.hosts ? fact(say.onlyReaches, `${tool.hosts.join(", ")}${tool.network === "not-enforced" ? say.notEnforcedByTheSystem : ""}`) : nothing}
            ${fact(
              say.last24Hours,
              outcomes.length === 0
                ? say.noCalls
                : outcomes.map(
                    ({ status, exitCode, count }) =>
                      html`<span class="tool-outcome">${callBadge(status, exitCode)} ${count}</span>`,
                  ),
            )}
            ${fact(say.receipts, html`<a href="/receipts?tool=${encodeURIComponent(tool.toolId)}">${say.lookIntoTheLog}</a>`)}
          </dl>
        </section>
        <elwood-try-call .app=${this.app} .tool=${tool}></elwood-try-call>
      </div>
      <details class="raw">
        <summary>${say.details}</summary>
        <dl class="facts">
          ${fact(say.name, html`<code>${tool.toolId}</code>`)}
          ${fact(say.whatTheModelIsTold, showText(tool.description))}
        </dl>
        <pre class="code receipt-json" tabindex="0" aria-label=${say.schemas}>
${JSON.stringify({ input: tool.input, output: tool.output }, undefined, 2)}</pre>
      </details>`;
  }

  #standing(tool: Tool): unknown {
    if (tool.source === "built-in") return nothing;
    if (!this.app.link.may("approve")) return notPermitted(this.app, "approve", say.sayWhetherItIsTrusted);
    if (tool.labelling) return this.#label(tool, tool.labelling.suggested);
    return tool.standing === "granted"
      ? html`<button type="button" @click=${() => void this.#revoke()}>${say.askForEveryCallAgain}</button>`
      : html`<button type="button" class="primary" @click=${() => void this.#grant(tool)}>
          ${say.trustItAsItIs}
        </button>`;
  }

  /** What a tool of an MCP server does is for the owner to say; what its server says only stands beside it. */
  #label({ toolId, contractHash, label }: Tool, suggested: ToolLabel | undefined): TemplateResult {
    const choose = async (event: Event) => {
      if (!(event.target instanceof HTMLSelectElement)) return;
      const chosen = TOOL_LABELS.find((each) => each === (event.target as HTMLSelectElement).value) ?? null;
      await this.app.attempt(() => this.app.link.call("mcp.label", { toolId, contractHash, label: chosen }));
      await this.#loader.load();
    };
    return html`<label class="tool-label">
      <span>${say.whatItDoes}</span>
      <select @change=${choose}>
        <option value="" ?selected=${label === undefined}>${say.notKnownAsksForEveryCall}</option>
        ${TOOL_LABELS.map(
          (each) =>
            html`<option value=${each} ?selected=${label === each}>
              ${gatewayText(LABEL_WORDS[each].word)}:
              ${gatewayText(LABEL_WORDS[each].means)}${each === suggested ? say.asItsServerSays : ""}
            </option>`,
        )}
      </select>
    </label>`;
  }

  async #grant({ toolId, contractHash, description }: Tool): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.trustAsItIs, toolName(toolId)),
      text: fill(say.fromThenOnThePolicyDecides, showText(description)),
      yes: say.trustIt,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("tools.grant", { toolId, contractHash }));
    await this.#loader.load();
  }

  async #revoke(): Promise<void> {
    await this.app.attempt(() => this.app.link.call("tools.revoke", { toolId: this.toolId }));
    await this.#loader.load();
  }
}

function fact(name: string, value: unknown): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function brokenOff({ idempotent, canReconcile, risk }: Tool): string {
  if (risk === "read") return say.itIsSimplyMadeAgain;
  if (idempotent) return say.itCanBeRepeatedSafely;
  return canReconcile ? say.theToolCanFindOutWhat : say.youAreAskedWhatHappened;
}

function secretsText({ secrets, secretsMissing = [] }: Tool): string {
  const missing =
    secretsMissing.length === 0
      ? ""
      : fill(say.missing, countText(secretsMissing.length, say.one, say.ones), secretsMissing.join(", "));
  return `${secrets.join(", ")}${missing}`;
}

function sourceWords(source: MethodResult<"tools.get">["tool"]["source"]): string {
  return {
    "built-in": say.elwoodItself,
    workspace: say.yourWorkspace,
    mcp: say.anMcpServer,
    client: say.aConnectedProgram,
  }[source];
}

customElements.define("elwood-tool-view", ToolView);
