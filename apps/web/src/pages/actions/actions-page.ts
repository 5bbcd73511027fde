import { showLine } from "@elwood/core/base/show";
import { html, nothing, type TemplateResult } from "lit";
import type { ActionSummary } from "@elwood/core/protocol/action-shapes";
import { PageElement } from "../../app/app-element.ts";
import { loadedView, pageHead } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/actions.ts";
import { aboutAction } from "./about-action.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "./action-view.ts";
import "../connections/connections.css";
import "../tools/tools.css";

/** What programs ask of models and services by name, each in its current version. */
export class ActionsPage extends PageElement {
  readonly #loader = new Loader(this, async () => (await this.app.link.call("actions.list", {})).actions);

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  protected override render(): unknown {
    const { action } = this.params;
    if (action !== undefined)
      return html`<elwood-action-view .app=${this.app} .name=${action}></elwood-action-view>`;
    return html`<div class="page-body">
      ${pageHead(say.actions, say.whatProgramsAskOfModelsAnd)}
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "spark", title: "" },
        view: (actions) =>
          html`<ul class="tool-list">
              ${actions.map(actionRow)}
            </ul>
            <p class="hint">
              ${fillIn(say.yoursComeFromAFile, html`<code>elwood actions import actions.yaml --dry-run</code>`)}
            </p>`,
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }
}

function actionRow({
  name,
  description,
  task,
  model,
  version,
  newest,
  source,
}: ActionSummary): TemplateResult {
  return html`<li>
    <a class="tool-row" href="/actions/${encodeURIComponent(name)}">
      <code class="tool-id">${name}</code>
      <span class="tool-about">${aboutAction(name, showLine(description ?? model ?? ""))}</span>
      <span class="tool-badges">
        <span class="badge">${source === "stored" ? task : say.builtIn}</span>
        ${
          source === "stored"
            ? html`<span class="badge" data-tone=${version < newest ? "warn" : nothing}
                >${fillIn(say.v2, version, version < newest ? fill(say.of, newest) : "")}</span
              >`
            : nothing
        }
      </span>
    </a>
  </li>`;
}

customElements.define("elwood-actions-page", ActionsPage);
