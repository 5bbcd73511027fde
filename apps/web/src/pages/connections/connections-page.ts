import { html, nothing, type TemplateResult } from "lit";
import { PageElement } from "../../app/app-element.ts";
import { emptyState, pageHead } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import "../../parts/connect-model.ts";
import "./channel-list.ts";
import "./integration-list.ts";
import "./mcp-list.ts";
import "./profile-list.ts";
import "./token-list.ts";
import "./connections.css";

/** Which models answer and with what credentials, which chat services and integrations are connected, and which programs may talk to this gateway. */
export class ConnectionsPage extends PageElement {
  protected override watches(): readonly Watched[] {
    return [this.app.link.hello, this.app.status];
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead("Models & keys", "What Elwood talks to, and which programs may talk to it.")}
      ${
        this.app.link.may("admin")
          ? this.#parts()
          : this.app.link.hello.value &&
            emptyState({
              icon: "lock",
              title: "This login may not see credentials.",
              text: "They need a login with the scope admin, such as the one that npx elwood open gives.",
            })
      }
    </div>`;
  }

  #parts(): TemplateResult {
    const status = this.app.status.value;
    return html`${
        status
          ? html`<section class="card connection-now">
              <h2>Answers now</h2>
              <p>
                <code>${status.model}</code>
                ${status.demo ? html`<span class="badge" data-tone="info">demo, scripted</span>` : nothing}
              </p>
              ${
                status.modelProblem === undefined
                  ? nothing
                  : html`<p class="line bad">${status.modelProblem}</p>`
              }
              <p class="hint">
                Which model answers is set by <code>model</code> in the configuration; each message may ask
                for another.
              </p>
            </section>`
          : nothing
      }
      <section aria-labelledby="profiles-title">
        <h2 id="profiles-title">Model credentials</h2>
        <elwood-profile-list .app=${this.app}></elwood-profile-list>
      </section>
      <section aria-labelledby="connect-title">
        <h2 id="connect-title">Connect a model</h2>
        <elwood-connect-model .app=${this.app}></elwood-connect-model>
      </section>
      ${
        this.app.link.has("channels.list")
          ? html`<section aria-labelledby="channels-title">
              <h2 id="channels-title">Channels</h2>
              <elwood-channel-list .app=${this.app}></elwood-channel-list>
            </section>`
          : nothing
      }
      ${
        this.app.link.has("integrations.list")
          ? html`<section aria-labelledby="integrations-title">
              <h2 id="integrations-title">Integrations</h2>
              <elwood-integration-list .app=${this.app}></elwood-integration-list>
            </section>`
          : nothing
      }
      ${
        this.app.link.has("mcp.list")
          ? html`<section aria-labelledby="mcp-title">
              <h2 id="mcp-title">MCP servers</h2>
              <elwood-mcp-list .app=${this.app}></elwood-mcp-list>
            </section>`
          : nothing
      }
      <section aria-labelledby="tokens-title">
        <h2 id="tokens-title">Logins and API tokens</h2>
        <elwood-token-list .app=${this.app}></elwood-token-list>
      </section>`;
  }
}

customElements.define("elwood-connections-page", ConnectionsPage);
