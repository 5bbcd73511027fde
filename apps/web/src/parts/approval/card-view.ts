import type { Card, CardEffect, CardField } from "@elwood/core/card/card";
import { html, nothing, type TemplateResult } from "lit";
import { dateText } from "../format.ts";
import type { IconName } from "../icon.ts";
import { gatewayText } from "../../words/gateway.ts";
import { stateText } from "../../words/states.ts";
import { say } from "../../words/en/parts.ts";

/** The parts of a card as the page draws them. They keep no state. */

export const CARD_ICONS: Readonly<Record<Card["icon"], IconName>> = {
  change: "pencil",
  delete: "trash",
  move: "file",
  command: "terminal",
  request: "globe",
  memory: "memory",
  program: "code",
  question: "question",
  tool: "tools",
};

type Body = Card["body"];

/** What would change, run or be sent; whole. */
export function bodyView(body: Body): unknown {
  switch (body.kind) {
    case "diff":
      if (body.lines.length === 0) return nothing;
      return html`<pre class="card-diff" role="group" aria-label=${say.linesThatChange}>
${body.lines.map(({ mark, line }) => html`<span class=${LINES[mark]}>${SIGNS[mark]} ${line}${"\n"}</span>`)}</pre>`;
    case "command":
      return html`<pre class="card-command" role="group" aria-label=${say.command}>
${body.parts.map(({ text, risk }) => (risk === undefined ? text : html`<mark data-risk=${risk}>${text}</mark>`))}</pre>`;
    case "request":
      return html`<pre class="card-command" role="group" aria-label=${say.request}>${body.text}</pre>`;
    case "plan":
      return html`<ol class="approval-plan" aria-label=${say.whatItWouldDo}>
        ${body.steps.map(
          (step) =>
            html`<li>
              <p class="approval-step">
                ${step.title}
                ${step.destructive ? html`<span class="badge" data-tone="bad">${say.destructive}</span>` : nothing}
                <code class="hint">${step.toolId}</code>
              </p>
              ${bodyView(step.body)} ${fieldsView(step.fields)} ${effectsView(step.effects)}
            </li>`,
        )}
      </ol>`;
    case "none":
      return nothing;
    default:
      return body satisfies never;
  }
}

const LINES = { "+": "diff-come", "-": "diff-gone", " ": "diff-same", "…": "diff-skip" } as const;
const SIGNS = { "+": "+", "-": "−", " ": " ", "…": "…" } as const;

/** What the input says beside the body. */
export function fieldsView(fields: readonly CardField[]): unknown {
  if (fields.length === 0) return nothing;
  return html`<dl class="card-fields">
    ${fields.map(
      ({ name, text }) =>
        html`<dt>${name}</dt>
          <dd><pre>${text}</pre></dd>`,
    )}
  </dl>`;
}

export function effectsView(effects: readonly CardEffect[]): unknown {
  if (effects.length === 0) return nothing;
  return html`<ul class="card-effects" aria-label=${say.whatItDoes}>
    ${effects.map(({ words, tone }) => html`<li class="badge" data-tone=${tone}>${gatewayText(words)}</li>`)}
  </ul>`;
}

/** Everything else there is to know: for who wants to look behind it. */
export function detailsView({ details }: Card, { expires = true } = {}): TemplateResult {
  const { rows, links, input, asked, surroundings, expiresAt } = details;
  return html`<div class="card-details">
    <dl class="card-fields">
      ${rows.map(
        ({ name, text }) =>
          html`<dt>${stateText(name)}</dt>
            <dd>${text}</dd>`,
      )}
      ${
        expires
          ? html`<dt>${say.expires}</dt>
              <dd>${dateText(expiresAt)}</dd>`
          : nothing
      }
    </dl>
    <p class="card-links">${links.map(({ words, path }) => html`<a href=${path}>${stateText(words)}</a>`)}</p>
    ${surroundings === undefined ? nothing : block(say.whatItRunsWith, surroundings)}
    ${asked === undefined ? nothing : block(say.inputAsItWasAskedFor, asked)}
    ${block(asked === undefined ? say.input : say.inputAsYouEditedIt, input)}
  </div>`;
}

function block(title: string, text: string): TemplateResult {
  return html`<div class="card-block">
    <p class="hint">${title}</p>
    <pre class="code" tabindex="0" aria-label=${title}>${text}</pre>
  </div>`;
}
