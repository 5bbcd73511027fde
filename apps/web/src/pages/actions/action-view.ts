import { isRecord } from "@elwood/core/base/is-record";
import { showText } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { diffView } from "../../parts/diff-view.ts";
import { moneyText } from "../../parts/format.ts";
import { idLabel, loadedView, pageHead, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { noJson, parsedInput, sampleInput } from "../tools/try-call.ts";
import { say } from "../../words/en/actions.ts";
import { aboutAction } from "./about-action.ts";
import { fill, fillIn } from "../../words/fill.ts";

type Found = MethodResult<"actions.get">;
type Answer = MethodResult<"actions.execute">;

/** One action: what it asks, its versions and what differs between them, and a way to try it. */
export class ActionView extends AppElement {
  static override properties: PropertyDeclarations = {
    name: { attribute: false },
    other: { state: true },
    answer: { state: true },
    busy: { state: true },
  };
  declare name: string;
  /** The version that is compared with the current one. */
  declare other: Found | undefined;
  declare answer: Answer | undefined;
  declare busy: boolean;
  readonly #loader = new Loader<Found>(this, () => this.app.link.call("actions.get", { name: this.name }));

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (changed.get("name") === undefined) return;
    this.other = undefined;
    this.answer = undefined;
    this.#loader.clear();
    void this.#loader.load();
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "spark", title: "" },
        heading: say.action,
        view: (found) => this.#view(found),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view({ action, spec, input, versions }: Found): TemplateResult {
    const { task, trn } = action;
    return html`${pageHead(action.name, aboutAction(action.name, showText(action.description ?? "")), html`<a class="button" href="/actions">${say.allActions}</a>`)}
      <div class="tool-columns">
        <section>
          <h2>${say.versions}</h2>
          <ul class="profiles">
            ${versions.map((each) => this.#version(action, each))}
          </ul>
          ${
            this.other
              ? diffView(
                  asText(spec),
                  asText(this.other.spec),
                  fill(say.vV, action.version, this.other.action.version),
                )
              : html`<pre class="code receipt-json" tabindex="0" aria-label=${say.asItIsStored}>
${asText(spec)}</pre>`
          }
          <p class="hint">${idLabel(trn)}</p>
          ${
            task === "http"
              ? html`<p class="hint">
                  ${fillIn(say.eachExecutionIsACallOf, html`<a href="/tools/action.http.${action.name}">action.http.${action.name}</a>`)}
                </p>`
              : nothing
          }
        </section>
        <section class="try-call" aria-labelledby="try-title">
          <h2 id="try-title">${say.tryIt}</h2>
          <form @submit=${(event: Event) => void this.#execute(event, action.version)}>
            <label for="try-input">${say.inputAsJson}</label>
            <textarea
              id="try-input"
              rows="8"
              spellcheck="false"
              .value=${task === "chat" ? asText({ messages: [{ role: "user", content: say.hello }] }) : sampleInput(input)}
            ></textarea>
            <button type="submit" ?disabled=${this.busy}>${say.execute}</button>
          </form>
          <div role="status">${this.answer ? answerView(this.answer) : nothing}</div>
        </section>
      </div>`;
  }

  #version(
    { version: current, source }: Found["action"],
    { version, createdAt, by }: Found["versions"][number],
  ): TemplateResult {
    return html`<li class="profile">
      <p>
        <strong>${fillIn(say.v, version)}</strong>
        ${version === current ? html`<span class="badge" data-tone="ok">${say.current}</span>` : nothing}
        <span class="hint">${timeAgo(createdAt)}, ${by}</span>
      </p>
      ${
        version === current || source !== "stored"
          ? nothing
          : html`<div class="profile-buttons">
              <button type="button" @click=${() => void this.#compare(version)}>${say.compare}</button>
              ${
                this.app.link.may("admin")
                  ? html`<button type="button" @click=${() => void this.#use(version)}>
                      ${say.useThisOne}
                    </button>`
                  : nothing
              }
            </div>`
      }
    </li>`;
  }

  async #compare(version: number): Promise<void> {
    const { name } = this;
    this.other = await this.app.attempt(() =>
      this.app.link.call("actions.get", { name, version: String(version) }),
    );
  }

  async #use(version: number): Promise<void> {
    const { name } = this;
    const sure = await confirmDialog({
      title: fill(say.useVOf, version, name),
      text: say.programsThatAskForItsLatest,
      yes: say.useIt,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("actions.rollback", { name, version }));
    this.other = undefined;
    await this.#loader.load();
  }

  async #execute(event: Event, version: number): Promise<void> {
    event.preventDefault();
    const input = parsedInput(this.querySelector("textarea")?.value ?? "");
    if (!isRecord(input)) {
      this.app.toasts.show(noJson(), { tone: "bad" });
      return;
    }
    this.busy = true;
    this.answer = await this.app.attempt(() =>
      this.app.link.call("actions.execute", {
        name: this.name,
        version: String(version),
        input: { ...input },
      }),
    );
    this.busy = false;
  }
}

function asText(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function answerView({ text, usage, cost, model_info: { provider, model }, ...rest }: Answer): TemplateResult {
  const value = rest.json ?? rest.ranking ?? rest.output;
  return html`<pre class="code">
${text === "" || rest.json !== undefined ? asText(value ?? rest.tool_calls) : showText(text)}</pre>
    <p class="hint">
      ${fillIn(say.tokens, provider, model, usage.total_tokens, cost === null ? say.costUnknown : moneyText(cost))}
    </p>`;
}

customElements.define("elwood-action-view", ActionView);
