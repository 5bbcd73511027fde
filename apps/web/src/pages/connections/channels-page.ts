import { html } from "lit";
import { PageElement } from "../../app/app-element.ts";
import { adminOnly, pageHead } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import { say } from "../../words/en/connections.ts";
import "./channel-list.ts";
import "./connections.css";

/** The chat services that Elwood is connected to, and the people in them. */
export class ChannelsPage extends PageElement {
  protected override watches(): readonly Watched[] {
    return [this.app.link.hello];
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead(say.channels, say.talkToElwoodFromAChat)}
      ${adminOnly(this.app, () => html`<elwood-channel-list .app=${this.app}></elwood-channel-list>`)}
    </div>`;
  }
}

customElements.define("elwood-channels-page", ChannelsPage);
