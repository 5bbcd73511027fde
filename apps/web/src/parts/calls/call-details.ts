import { html, nothing, type TemplateResult } from "lit";
import type { WireCall } from "@elwood/core/protocol/call-shapes";
import type { AppContext } from "../../app/context.ts";
import { diffView } from "../diff-view.ts";
import { bytesText, countText, dateText, durationText } from "../format.ts";
import { icon } from "../icon.ts";
import { inputView } from "../input-view.ts";
import { idLabel, notPermitted } from "../small.ts";
import { say } from "../../words/en/parts.ts";
import { fill, fillIn } from "../../words/fill.ts";

/** All of one call: what went in, what the owner was shown, what came out, and the receipts of each step. */
export function callDetails(app: AppContext, call: WireCall, undo: () => void): TemplateResult {
  return html`<div class="call-inside">
    ${
      call.source === undefined
        ? part(say.input, inputPart(call))
        : part(say.program, html`<pre class="code call-source">${call.source}</pre>`)
    }
    ${
      call.preview && (call.preview.before !== undefined || call.preview.after !== undefined)
        ? part(
            say.whatYouWereShown,
            diffView(
              call.preview.before ?? "",
              call.preview.after ?? "",
              call.target ?? call.preview.subject,
            ),
          )
        : nothing
    }
    ${call.error ? part(say.whyNot, html`<p class="line bad call-error">${call.error.text}</p>`) : nothing}
    ${call.output ? outputPart(app, call, call.output) : nothing}
    ${call.approval ? part(say.approval, approvalPart(call.approval)) : nothing} ${undoPart(app, call, undo)}
    <details class="raw">
      <summary>${say.details}</summary>
      <p class="call-facts hint">
        <span>${fillIn(say.askedFor, dateText(call.requestedAt))}</span>
        ${
          call.startedAt !== undefined && call.endedAt !== undefined
            ? html`<span>${fillIn(say.took, durationText(call.endedAt - call.startedAt))}</span>`
            : nothing
        }
        ${[call.toolId, call.approval?.rule, call.preview?.subject].map((each) => each && html`<code>${each}</code>`)}
        ${idLabel(call.callId)}
        ${call.receipts.map(
          ({ receiptId, seq, type }) =>
            html`<a href="/receipts/${encodeURIComponent(receiptId)}" title=${receiptId}
              >${type.replace("tool.call.", "")} #${seq}</a
            >`,
        )}
      </p>
    </details>
  </div>`;
}

function part(title: string, inside: unknown): TemplateResult {
  return html`<section class="call-part">
    <h3>${title}</h3>
    ${inside}
  </section>`;
}

function inputPart({ toolId, input, inputBytes, executedInput }: WireCall): unknown {
  if (inputBytes !== undefined)
    return html`<p class="hint">${fillIn(say.tooLargeToShow, bytesText(inputBytes))}</p>`;
  if (executedInput === undefined) return inputView(toolId, input ?? {});
  return html`<p class="hint">${say.asItWasAskedFor}</p>
    ${inputView(toolId, input ?? {})}
    <p class="hint">${say.asYouEditedItAndAs}</p>
    ${inputView(toolId, executedInput)}`;
}

function outputPart(
  app: AppContext,
  call: WireCall,
  output: NonNullable<WireCall["output"]>,
): TemplateResult {
  const { text, leftOut, exitCode, truncated, attachments } = output;
  const title = exitCode === undefined ? say.output : fill(say.outputExitCode, exitCode);
  const cut =
    leftOut !== undefined
      ? fill(say.leftOut, countText(leftOut, say.moreCharacter, say.moreCharacters))
      : truncated
        ? say.theToolCutItsOutput
        : undefined;
  const terminal = call.toolId === "shell.command.run";
  return part(
    title,
    html`${
      text === ""
        ? html`<p class="hint">${say.itSaidNothing}</p>`
        : html`<pre
            class=${terminal ? "code terminal" : "code call-output"}
            tabindex="0"
            aria-label=${say.output}
          >
${text}</pre>`
    }
    ${cut === undefined ? nothing : html`<p class="hint">${cut}</p>`}
    ${attachments.map(
      (each) =>
        html`<elwood-blob-view
          .app=${app}
          .blobId=${each.blobId}
          .mime=${each.mime}
          .name=${each.name ?? ""}
        ></elwood-blob-view>`,
    )}`,
  );
}

function approvalPart({ approvalId, reason }: NonNullable<WireCall["approval"]>): TemplateResult {
  return html`<p><a href="/approvals/${encodeURIComponent(approvalId)}">${reason}</a></p>`;
}

function undoPart(app: AppContext, { canUndo, undone, undoes }: WireCall, undo: () => void): unknown {
  if (undone) return html`<p class="hint">${icon("undo", 14)} ${say.itsEffectWasTakenBack}</p>`;
  if (undoes !== undefined)
    return html`<p class="hint">${fillIn(say.itTookBackTheEffectOf, html`<code>${undoes}</code>`)}</p>`;
  if (!canUndo) return nothing;
  if (!app.link.may("approve")) return notPermitted(app, "approve", say.undoIt);
  return html`<p>
    <button type="button" @click=${undo}>${icon("undo", 16)}${say.undo}</button>
  </p>`;
}
