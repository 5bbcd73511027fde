import { html, nothing, type TemplateResult } from "lit";
import { PageElement } from "../../app/app-element.ts";
import { emptyState, pageHead } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import { say } from "../../words/en/connections.ts";
import { fillIn } from "../../words/fill.ts";
import "../../parts/connect-model.ts";
import "./profile-list.ts";
import "./token-list.ts";
import "./connections.css";

/** Which models answer and with what credentials, and which browsers and programs may talk to this gateway. */
export class ConnectionsPage extends PageElement {
  protected override watches(): readonly Watched[] {
    return [this.app.link.hello, this.app.status];
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead(say.modelsKeys, say.whichModelAnswersWithWhichKey)}
      ${
        this.app.link.may("admin")
          ? this.#parts()
          : this.app.link.hello.value &&
            emptyState({
              icon: "lock",
              title: say.thisLoginMayNotSeeCredentials,
              text: say.theyNeedALoginWithThe,
            })
      }
    </div>`;
  }

  #parts(): TemplateResult {
    const status = this.app.status.value;
    return html`${
        status
          ? html`<section class="connection-now">
              <h2>${say.answersNow}</h2>
              <p class="model-now">
                <strong title=${status.model}
                  >${status.demo ? say.demoScripted : status.model.slice(status.model.indexOf("/") + 1)}</strong
                >
              </p>
              ${
                status.modelProblem === undefined
                  ? nothing
                  : html`<p class="line bad">${status.modelProblem}</p>`
              }
              <p class="hint">
                ${fillIn(say.changeInSettings, html`<a href="/settings">${say.changeIt}</a>`)}
              </p>
            </section>`
          : nothing
      }
      <section aria-labelledby="profiles-title">
        <h2 id="profiles-title">${say.modelCredentials}</h2>
        <elwood-profile-list .app=${this.app}></elwood-profile-list>
      </section>
      <section aria-labelledby="connect-title">
        <h2 id="connect-title">${say.connectAModel}</h2>
        <elwood-connect-model .app=${this.app}></elwood-connect-model>
      </section>
      <section aria-labelledby="tokens-title">
        <h2 id="tokens-title">${say.loginsAndApiTokens}</h2>
        <elwood-token-list .app=${this.app}></elwood-token-list>
      </section>`;
  }
}

customElements.define("elwood-connections-page", ConnectionsPage);
