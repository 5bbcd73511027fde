import { isRecord } from "@elwood/core/base/is-record";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { icon } from "../../parts/icon.ts";
import { fieldsOf, fieldText, withField, type Field } from "./call-fields.ts";
import { say } from "../../words/en/tools.ts";
import { fill, fillIn } from "../../words/fill.ts";

type Tool = MethodResult<"tools.get">["tool"];
type Explanation = MethodResult<"policy.explain">;

const LAYERS = [
  "theInputDoesNotFit",
  "hardDenies",
  "yourDenyRules",
  "whatAlwaysAsks",
  "yourAskRules",
  "whetherYouAskedForIt",
  "yourAllowRulesAndPermissions",
  "readsThatCarryNothingOut",
] as const satisfies readonly (keyof typeof say)[];

function layerWords(layer: number): string {
  const words = LAYERS[layer];
  return words === undefined ? "" : say[words];
}

/** Asks the policy what would become of a call. Nothing is run. */
export class TryCall extends AppElement {
  static override properties: PropertyDeclarations = {
    tool: { attribute: false },
    found: { state: true },
    problem: { state: true },
    input: { state: true },
  };
  declare tool: Tool;
  declare found: Explanation | undefined;
  declare problem: string | undefined;
  /** What the call would be made with, whether it was written in fields or as JSON. */
  declare input: unknown;
  #for: string | undefined;

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#for !== this.tool.toolId) {
      this.#for = this.tool.toolId;
      this.found = undefined;
      this.problem = undefined;
      this.input = sampleOf(this.tool.input, 0);
    }
  }

  protected override render(): unknown {
    const fields = fieldsOf(this.tool.input);
    return html`<section class="try-call" aria-labelledby="try-title">
      <h2 id="try-title">${say.tryThisCall}</h2>
      <p class="hint">${say.saysWhichRuleWouldSpeakAbout}</p>
      <form @submit=${(event: Event) => void this.#explain(event)}>
        ${fields.map((field) => this.#field(field))}
        <details class="raw" ?open=${fields.length === 0}>
          <summary>${fields.length === 0 ? say.details : say.asJson}</summary>
          <label for="try-input">${say.inputAsJson}</label>
          <textarea
            id="try-input"
            rows="8"
            spellcheck="false"
            .value=${jsonOf(this.input)}
            @change=${this.#written}
          ></textarea>
        </details>
        <label for="try-typed">${say.yourMessageOptional}</label>
        <input id="try-typed" maxlength="8000" />
        <button type="submit">${say.explain}</button>
      </form>
      <div role="status">
        ${this.problem === undefined ? nothing : html`<p class="line bad">${this.problem}</p>`}
        ${this.found ? explanation(this.found) : nothing}
      </div>
    </section>`;
  }

  #field(field: Field): TemplateResult {
    const id = `try-${field.name}`;
    const value = fieldText(field, this.input);
    const put = ({ target }: Event) => {
      if (target instanceof HTMLInputElement && target.type === "checkbox")
        this.input = withField(this.input, field, String(target.checked));
      else if (
        target instanceof HTMLInputElement ||
        target instanceof HTMLTextAreaElement ||
        target instanceof HTMLSelectElement
      )
        this.input = withField(this.input, field, target.value);
    };
    const label = html`<label for=${id} title=${field.about}
      >${field.label}${field.needed ? "" : html` <span class="hint">${say.optional}</span>`}</label
    >`;
    switch (field.kind) {
      case "yes":
        return html`<p>
          <input id=${id} type="checkbox" .checked=${value === "true"} @change=${put} /> ${label}
        </p>`;
      case "choice":
        return html`${label}<select id=${id} @change=${put}>
            ${field.needed ? nothing : html`<option value=""></option>`}
            ${field.choices.map((each) => html`<option ?selected=${each === value}>${each}</option>`)}
          </select>`;
      case "number":
        return html`${label}<input id=${id} type="number" step="any" .value=${value} @input=${put} />`;
      case "lines":
      case "long":
        return html`${label}<textarea
            id=${id}
            rows="3"
            placeholder=${field.kind === "lines" ? say.oneALine : ""}
            .value=${value}
            @input=${put}
          ></textarea>`;
      case "text":
      default:
        return html`${label}<input id=${id} .value=${value} @input=${put} />`;
    }
  }

  readonly #written = ({ target }: Event): void => {
    if (!(target instanceof HTMLTextAreaElement)) return;
    const input = parsedInput(target.value);
    this.problem = input === undefined ? noJson() : undefined;
    if (input !== undefined) this.input = input;
  };

  async #explain(event: Event): Promise<void> {
    event.preventDefault();
    const typed = this.querySelector<HTMLInputElement>("#try-typed")?.value.trim() ?? "";
    const text = this.querySelector<HTMLTextAreaElement>("#try-input")?.value ?? "";
    // What is no JSON stays in its place, and is told.
    if (parsedInput(text) === undefined) {
      this.problem = noJson();
      this.found = undefined;
      return;
    }
    this.problem = undefined;
    const { input } = this;
    this.found = await this.app.attempt(() =>
      this.app.link.call("policy.explain", {
        toolId: this.tool.toolId,
        input,
        ...(typed === "" ? {} : { typed }),
      }),
    );
  }
}

export function noJson(): string {
  return say.thisIsNotValidJson;
}

/** What somebody wrote as JSON; undefined where it is none. */
export function parsedInput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // told by whoever asked
  }
}

const DECISIONS = {
  allow: {
    get words() {
      return say.itWouldRunWithoutAsking;
    },
    tone: "ok",
    icon: "check",
  },
  ask: {
    get words() {
      return say.itWouldAskYouFirst;
    },
    tone: "warn",
    icon: "pause",
  },
  deny: {
    get words() {
      return say.itWouldBeRefused;
    },
    tone: "bad",
    icon: "denied",
  },
} as const;

function explanation({
  decision,
  rule,
  layer,
  reason,
  target,
  sources = [],
  problems = [],
  clause,
  values = [],
}: Explanation): TemplateResult {
  const { words, tone, icon: name } = DECISIONS[decision];
  return html`<div class="explanation" data-tone=${tone}>
    <p class="explanation-words">${icon(name, 18)}<strong>${words}</strong></p>
    <p>${reason}</p>
    ${listed(say.yourWords, clause === undefined ? [] : [`“${clause}”`])} ${listed(say.values, values)}
    ${listed(say.readBefore, sources)}
    ${
      problems.length === 0
        ? nothing
        : html`<ul class="explanation-problems">
            ${problems.map((problem) => html`<li>${problem}</li>`)}
          </ul>`
    }
    <details class="raw">
      <summary>${say.details}</summary>
      <p class="hint">
        ${fillIn(say.ruleLayer, html`<code>${rule}</code>`, layer, layerWords(layer), target === undefined ? "" : fill(say.about, target))}
      </p>
    </details>
  </div>`;
}

function listed(what: string, all: readonly string[]): unknown {
  return all.length === 0 ? nothing : html`<p class="hint">${what}: ${all.join(", ")}</p>`;
}

/** An input to begin with, from a tool's JSON Schema: every field that must be there, empty. */
export function sampleInput(schema: Readonly<Record<string, unknown>>): string {
  return jsonOf(sampleOf(schema, 0));
}

function jsonOf(input: unknown): string {
  return JSON.stringify(input, undefined, 2) ?? "{}";
}

const DEPTH_MAX = 6;

function sampleOf(schema: unknown, depth: number): unknown {
  if (!isRecord(schema) || depth > DEPTH_MAX) return null;
  if ("const" in schema) return schema["const"];
  if ("default" in schema) return schema["default"];
  const { enum: values, anyOf, oneOf, type, properties, required } = schema;
  if (Array.isArray(values)) return values[0] as unknown;
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (choices) return sampleOf(choices[0], depth + 1);
  if (type === "object" || isRecord(properties)) {
    const needed = Array.isArray(required) ? required.map(String) : [];
    const fields = isRecord(properties) ? properties : {};
    return Object.fromEntries(needed.map((name) => [name, sampleOf(fields[name], depth + 1)]));
  }
  if (type === "array") return [];
  if (type === "number" || type === "integer") return 0;
  if (type === "boolean") return false;
  return type === "string" ? "" : null;
}

customElements.define("elwood-try-call", TryCall);
