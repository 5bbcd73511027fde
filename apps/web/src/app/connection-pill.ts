import { html, nothing } from "lit";
import { PROTOCOL } from "@elwood/sdk/client";
import type { Watched } from "@elwood/sdk/store";
import { AppElement } from "./app-element.ts";
import { say } from "../words/en/app.ts";
import { fill } from "../words/fill.ts";

/** Says whether the gateway can be reached, and when this page is older than the one it serves. */
export class ConnectionPill extends AppElement {
  #build = document.querySelector<HTMLMetaElement>('meta[name="elwood-build"]')?.content;
  #version: string | undefined;
  #wasLost = false;

  protected override watches(): readonly Watched[] {
    return [this.app.link.state, this.app.link.hello];
  }

  protected override entered(): readonly (() => void)[] {
    const told = this.app.link.state.subscribe((now) => {
      if (now === "lost" && !this.#wasLost) this.app.announce(say.theConnectionBrokeTryingAgain);
      if (now === "ready" && this.#wasLost) this.app.announce(say.connectedAgain);
      this.#wasLost = now === "lost";
    });
    return [told];
  }

  protected override render(): unknown {
    const state = this.app.link.state.value;
    const words = {
      connecting: say.connecting,
      ready: say.connected,
      lost: say.reconnecting,
      refused: say.loggedOut,
      closed: say.notConnected,
    };
    return html`<p class="connection" data-state=${state}>
        <span class="dot" aria-hidden="true"></span><span class="connection-words">${words[state]}</span>
        ${
          state === "lost"
            ? html`<button type="button" class="link" @click=${() => this.app.link.retryNow()}>
                ${say.retryNow}
              </button>`
            : nothing
        }
      </p>
      ${this.#outdated()}`;
  }

  #outdated(): unknown {
    const hello = this.app.link.hello.value;
    if (!hello) return nothing;
    this.#build ??= hello.build;
    this.#version ??= hello.version;
    // The outlet says what does not fit at all.
    if (hello.build === this.#build || hello.protocol !== PROTOCOL) return nothing;
    const why =
      hello.version === this.#version
        ? say.thereIsANewVersionOf
        : fill(say.elwoodWasUpdatedTo, hello.version);
    return html`<p class="update-note" role="status">
      ${why} <button type="button" @click=${() => location.reload()}>${say.reload}</button>
    </p>`;
  }
}

customElements.define("elwood-connection-pill", ConnectionPill);
