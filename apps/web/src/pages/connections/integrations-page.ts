import { html, nothing } from "lit";
import { PageElement } from "../../app/app-element.ts";
import { adminOnly, pageHead } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import { say } from "../../words/en/connections.ts";
import "./integration-list.ts";
import "./mcp-list.ts";
import "./connections.css";

/** Services that Elwood can use, and MCP servers, which bring tools of their own. */
export class IntegrationsPage extends PageElement {
  protected override watches(): readonly Watched[] {
    return [this.app.link.hello];
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead(say.integrations, say.servicesThatElwoodCanUseFor)}
      ${adminOnly(
        this.app,
        () =>
          html`<section aria-labelledby="integrations-title">
              <h2 id="integrations-title">${say.services}</h2>
              <elwood-integration-list .app=${this.app}></elwood-integration-list>
            </section>
            ${
              this.app.link.has("mcp.list")
                ? html`<section aria-labelledby="mcp-title">
                    <h2 id="mcp-title">${say.mcpServers}</h2>
                    <elwood-mcp-list .app=${this.app}></elwood-mcp-list>
                  </section>`
                : nothing
            }`,
      )}
    </div>`;
  }
}

customElements.define("elwood-integrations-page", IntegrationsPage);
