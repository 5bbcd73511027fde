import { html, nothing, type TemplateResult } from "lit";
import { aroundChanges, diffLines } from "@elwood/core/base/line-diff";
import { say } from "../words/en/parts.ts";
import { fill } from "../words/fill.ts";

const LINES_SHOWN_MAX = 2_000;

/** What would be different afterwards: the lines that go and the lines that come, and how many. */
export function diffView(before: string, after: string, subject?: string): TemplateResult {
  const all = diffLines(before, after);
  const gone = all.filter((each) => each.mark === "-").length;
  const come = all.filter((each) => each.mark === "+").length;
  const lines = aroundChanges(all);
  if (lines.length === 0) return html`<p class="hint">${say.nothingWouldChange}</p>`;
  return html`<figure class="diff">
    <figcaption>
      <span>${subject ?? say.whatChanges}</span>
      <span class="diff-counts"
        ><span class="diff-come">+${come}</span> <span class="diff-gone">−${gone}</span
        ><span class="unseen"> ${say.linesComeAndGo}</span></span
      >
    </figcaption>
    <pre tabindex="0" aria-label=${say.linesThatChange}>
${lines
        .slice(0, LINES_SHOWN_MAX)
        .map(({ mark, line }) => html`<span class=${CLASSES[mark]}>${mark} ${line}${"\n"}</span>`)}${
        lines.length > LINES_SHOWN_MAX
          ? html`<span class="diff-skip">${fill(say.moreLines, lines.length - LINES_SHOWN_MAX)}</span>`
          : nothing
      }</pre>
  </figure>`;
}

const CLASSES = { "+": "diff-come", "-": "diff-gone", " ": "diff-same", "…": "diff-skip" } as const;
