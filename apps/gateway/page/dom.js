/**
 * Small pieces for building the page. Text always goes in as text: nothing here, and
 * nothing that uses it, parses markup.
 */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Readonly<Record<string, string>>} [attributes]
 * @param {readonly (Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function build(tag, attributes = {}, children = []) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * The element of index.html with this id.
 *
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`index.html has no ${type.name} #${id}`);
  return element;
}

/**
 * Shows the text, or hides the element where there is none.
 *
 * @param {HTMLElement} element
 * @param {string | undefined} text
 */
export function say(element, text) {
  element.textContent = text ?? "";
  element.hidden = text === undefined || text === "";
}

/**
 * A date for people: how long ago, with the exact time on hover.
 *
 * @param {number} at
 * @returns {HTMLTimeElement}
 */
export function timeElement(at) {
  const date = new Date(at);
  const element = build("time", { datetime: date.toISOString(), title: date.toLocaleString() });
  element.textContent = agoText(at, Date.now());
  return element;
}

/**
 * Rewrites every relative time on the page; they grow old while nobody touches them.
 *
 * @param {ParentNode} root
 */
export function refreshTimes(root) {
  for (const element of root.querySelectorAll("time")) {
    element.textContent = agoText(Date.parse(element.dateTime), Date.now());
  }
}

/**
 * @param {number} at
 * @param {number} now
 */
function agoText(at, now) {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const date = new Date(at);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(undefined, {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}

/** @param {number} seconds */
export function uptimeText(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** @param {number} usd */
export function moneyText(usd) {
  return usd > 0 && usd < 0.01 ? "under $0.01" : `$${usd.toFixed(2)}`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function countText(count, one, many = `${one}s`) {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
