/** @import { MethodResult } from "@elwood/core/protocol/results" */
import { build, byId, countText, moneyText, uptimeText } from "./dom.js";
import { gatewayLine } from "./message-view.js";

/** @typedef {MethodResult<"gateway.status">} Status */

/** What the gateway says of itself: a list of facts, notices, and a banner where the model is not a real one. */
export class StatusPanel {
  #facts = byId("status-facts", HTMLDListElement);
  #notices = byId("notices", HTMLDivElement);
  #banner = byId("model-banner", HTMLDivElement);
  #meter = build("meter", { min: "0", "aria-label": "Today's estimated cost against the limit of the day" });
  /** @type {Map<string, HTMLElement>} */
  #values = new Map();
  #shownModel = "";
  #shownNotices = "";

  constructor() {
    this.#facts.replaceChildren();
    this.#banner.replaceChildren();
    this.#notices.replaceChildren();
  }

  /** @param {Status} status */
  show(status) {
    const { today, limits } = status;
    const limit = limits["dayCostUsd"] ?? 0;
    this.#set("Model", status.demo ? "Demo (scripted)" : status.model);
    this.#set("Version", status.version);
    this.#set("Running for", uptimeText(status.uptime));
    this.#set("Cost today", `${moneyText(today.costUsd)} of ${moneyText(limit)}`);
    this.#set("Tokens today", today.tokens.toLocaleString());
    this.#set("Runs", `${status.runsActive} running, ${status.runsQueued} queued`);
    this.#set("Clients", countText(status.clients, "connection"));
    this.#showMeter(today.costUsd, limit, today.unpriced);
    this.#showBanner(status);
    this.#showNotices(status.notices);
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  #set(name, value) {
    let cell = this.#values.get(name);
    if (!cell) {
      cell = build("dd", {}, [build("span")]);
      this.#values.set(name, cell);
      this.#facts.append(build("div", { class: "fact" }, [build("dt", {}, [name]), cell]));
    }
    const text = cell.firstElementChild;
    if (text && text.textContent !== value) text.textContent = value;
  }

  /**
   * @param {number} cost
   * @param {number} limit
   * @param {number} unpriced
   */
  #showMeter(cost, limit, unpriced) {
    const cell = this.#values.get("Cost today");
    if (!cell) return;
    if (!this.#meter.isConnected) {
      const note = "Estimated. Runs stop at the limit.";
      cell.append(this.#meter, build("span", { class: "hint" }, [note]), build("span", { class: "hint" }));
    }
    this.#meter.max = Math.max(limit, 0.01);
    this.#meter.high = limit * 0.8;
    this.#meter.value = cost;
    const more = cell.lastElementChild;
    if (more)
      more.textContent =
        unpriced > 0 ? `${countText(unpriced, "run")} without a known price not counted.` : "";
  }

  /** @param {Status} status */
  #showBanner({ demo, modelProblem }) {
    const shown = modelProblem ?? (demo ? "demo" : "");
    if (shown === this.#shownModel) return;
    this.#shownModel = shown;
    if (shown === "") this.#banner.replaceChildren();
    else
      this.#banner.replaceChildren(modelProblem === undefined ? demoBanner() : problemBanner(modelProblem));
  }

  /** @param {readonly string[]} notices */
  #showNotices(notices) {
    const shown = notices.join("\n");
    if (shown === this.#shownNotices) return;
    this.#shownNotices = shown;
    this.#notices.replaceChildren(...notices.map((notice) => gatewayLine(notice, "warn")));
  }
}

function demoBanner() {
  return build("p", { class: "banner demo" }, [
    build("strong", {}, ["Demo model: scripted answers."]),
    " Connect a real one in a terminal: ",
    build("code", {}, ["npx elwood auth anthropic"]),
    " (or ",
    build("code", {}, ["openai"]),
    ").",
  ]);
}

/** @param {string} problem */
function problemBanner(problem) {
  return build("p", { class: "banner problem" }, [build("strong", {}, ["No model can answer. "]), problem]);
}
