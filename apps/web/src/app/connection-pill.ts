import { html, nothing } from "lit";
import { PROTOCOL } from "../gateway/link.ts";
import type { Watched } from "../state/store.ts";
import { AppElement } from "./app-element.ts";

/** Says whether the gateway can be reached, and when this page is older than the gateway. */
export class ConnectionPill extends AppElement {
  #build: string | undefined;
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
    const why =
      hello.protocol !== PROTOCOL
        ? "This page does not fit this gateway any more."
        : hello.build !== this.#build
          ? `Elwood was updated to ${hello.version}.`
          : undefined;
    if (why === undefined) return nothing;
    return html`<p class="update-note" role="status">
      ${why} <button type="button" @click=${() => location.reload()}>Reload</button>
    </p>`;
  }
}

customElements.define("elwood-connection-pill", ConnectionPill);
