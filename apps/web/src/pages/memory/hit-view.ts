import { html, nothing, type TemplateResult } from "lit";
import type { WireMemoryHit, WireTurn } from "@elwood/core/protocol/memory-shapes";
import type { AppContext } from "../../app/context.ts";
import { placeHref, placeWords } from "../../parts/forget/forget-words.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { timeAgo } from "../../parts/small.ts";

/** Something that was found: where it stands, when and by whom it was said, and why it was found. */
export function hitView(app: AppContext, hit: WireMemoryHit, forgotten: () => void): TemplateResult {
  const { source, line, ts, speaker, origin, text, remark, before, after } = hit;
  const href = placeHref(source, hit.sessionKey);
  const name = placeWords(source, line);
  const forget = async () => {
    const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
    if (await forgetDialog(app, `Forget ${name}?`, { place: { source, line } })) forgotten();
  };
  return html`<li class="hit">
    <p class="hit-head">
      ${href === undefined ? name : html`<a href=${href}>${name}</a>`}
      <span>${speaker}</span>
      ${origin === "untrusted" ? html`<span class="badge" data-tone="warn">from others</span>` : nothing}
      ${timeAgo(ts)}
      <code class="hit-place" title="${source}#${line}">${source}#${line}</code>
    </p>
    ${before.map(neighbour)}
    <p class="hit-text">${spokenText(text)}</p>
    ${after.map(neighbour)} ${remark === undefined ? nothing : html`<p class="line">${remark}</p>`}
    <div class="hit-foot">
      <details class="raw">
        <summary>Score ${hit.score.toFixed(1)}</summary>
        <dl class="score-parts">
          ${partsOf(hit).map(
            ([part, value]) =>
              html`<div>
                <dt>${part}</dt>
                <dd>${value.toFixed(2)}</dd>
              </div>`,
          )}
        </dl>
      </details>
      ${app.link.may("approve") ? html`<button type="button" class="quiet" aria-label="Forget ${name}…" @click=${() => void forget()}>Forget…</button>` : nothing}
    </div>
  </li>`;
}

function neighbour({ speaker, text }: WireTurn): TemplateResult {
  return html`<p class="hit-beside"><span>${speaker}:</span> ${spokenText(text)}</p>`;
}

function partsOf({ parts }: WireMemoryHit): [string, number][] {
  return Object.entries(parts)
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
}
