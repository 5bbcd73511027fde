import { html, nothing } from "lit";
import { PROTOCOL } from "@elwood/sdk/client";
import type { Watched } from "@elwood/sdk/store";
import { AppElement } from "./app-element.ts";

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
      if (now === "lost" && !this.#wasLost) this.app.announce("The connection broke. Trying again.");
      if (now === "ready" && this.#wasLost) this.app.announce("Connected again.");
      this.#wasLost = now === "lost";
    });
    return [told];
  }

  protected override render(): unknown {
    const state = this.app.link.state.value;
    const words = {
      connecting: "Connecting…",
      ready: "Connected",
      lost: "Reconnecting…",
      refused: "Logged out",
      closed: "Not connected",
    };
    return html`<p class="connection" data-state=${state}>
        <span class="dot" aria-hidden="true"></span><span class="connection-words">${words[state]}</span>
        ${
          state === "lost"
            ? html`<button type="button" class="link" @click=${() => this.app.link.retryNow()}>
                Retry now
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
        ? "There is a new version of this page."
        : `Elwood was updated to ${hello.version}.`;
    return html`<p class="update-note" role="status">
      ${why} <button type="button" @click=${() => location.reload()}>Reload</button>
    </p>`;
  }
}

customElements.define("elwood-connection-pill", ConnectionPill);
