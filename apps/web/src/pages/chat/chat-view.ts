import { html } from "lit";
import { PageElement } from "../../app/app-element.ts";

export class ChatView extends PageElement {
  protected override render(): unknown {
    return html`<div class="page-body"><h1>Chat</h1></div>`;
  }
}

customElements.define("elwood-chat-view", ChatView);
