/** @import { Hello } from "@elwood/core/protocol/frames" */
import { build, byId } from "./dom.js";
import { PROTOCOL } from "./gateway-link.js";

/** Says whether the gateway can be reached, and when this page is older than the gateway. */
export class ConnectionPill {
  #pill = byId("connection", HTMLParagraphElement);
  #text = byId("connection-text", HTMLSpanElement);
  #retry = byId("retry", HTMLButtonElement);
  #banner = byId("update-banner", HTMLDivElement);
  /** @type {string | undefined} */
  #build;

  /**
   * @param {AbortSignal} signal
   * @param {() => void} onRetry
   */
  constructor(signal, onRetry) {
    this.#retry.addEventListener("click", onRetry, { signal });
    this.#banner.replaceChildren();
    this.#show("connecting", "Connecting…");
  }

  /** @param {Hello} hello */
  ready(hello) {
    this.#show("ready", "Connected");
    this.#build ??= hello.build;
    if (hello.protocol !== PROTOCOL) this.#outdated("This page does not fit this gateway any more.");
    else if (hello.build !== this.#build) this.#outdated(`Elwood was updated to ${hello.version}.`);
  }

  lost() {
    this.#show("lost", "Reconnecting…");
  }

  /**
   * @param {"connecting" | "ready" | "lost"} state
   * @param {string} text
   */
  #show(state, text) {
    this.#pill.dataset["state"] = state;
    this.#text.textContent = text;
    this.#retry.hidden = state !== "lost";
  }

  /** @param {string} why */
  #outdated(why) {
    const reload = build("button", { type: "button" }, ["Reload"]);
    reload.addEventListener("click", () => location.reload());
    this.#banner.replaceChildren(build("p", { class: "banner" }, [build("strong", {}, [why]), " ", reload]));
  }
}
