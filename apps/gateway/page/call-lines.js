import { build } from "./dom.js";

/** What the calls of a run are doing, one line each, in the order in which they were first heard of. */
export class CallLines {
  element = build("ul", { class: "call-lines" });
  /** @type {Map<string, HTMLElement>} */
  #lines = new Map();

  /**
   * @param {string} callId
   * @param {string} tool
   * @param {string} words
   */
  show(callId, tool, words) {
    let line = this.#lines.get(callId);
    if (!line) {
      line = build("span", { class: "call-words" });
      this.#lines.set(callId, line);
      this.element.append(build("li", {}, [build("code", {}, [tool]), line]));
    }
    line.textContent = words;
  }
}
