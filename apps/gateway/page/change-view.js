import { build } from "./dom.js";

/** What cannot be allowed need not be shown whole; a browser should not stand still over it. */
const UNSHOWABLE_CHARS_MAX = 4_000;
const CONTEXT_LINES = 2;

/**
 * Every argument of a call, open and whole.
 *
 * @param {unknown} details
 * @param {boolean} whole
 */
export function valueView(details, whole) {
  const entries =
    typeof details === "object" && details !== null && !Array.isArray(details)
      ? Object.entries(details)
      : [["input", details]];
  return build(
    "dl",
    { class: "card-input" },
    entries.flatMap(([name, value]) => [
      build("dt", {}, [String(name)]),
      build("dd", {}, [
        block(typeof value === "string" ? value : JSON.stringify(value, undefined, 1), whole),
      ]),
    ]),
  );
}

/**
 * What would be different afterwards: the lines that go and the lines that come.
 *
 * @param {{ before?: string | undefined, after?: string | undefined, subject?: string | undefined }} preview
 * @param {boolean} whole
 * @returns {HTMLElement[]}
 */
export function changeView({ before, after, subject }, whole) {
  if (before === undefined && after === undefined) return [];
  const caption = build("p", { class: "hint" }, [
    `What changes${subject === undefined ? "" : ` in ${subject}`}`,
  ]);
  const lines = whole ? changedLines(before ?? "", after ?? "") : [];
  const list = build(
    "pre",
    { class: "card-change", tabindex: "0", "aria-label": "Lines that change" },
    lines.map(({ mark, text }) => build("span", { class: MARK_CLASSES[mark] ?? "" }, [`${mark} ${text}\n`])),
  );
  return lines.length === 0 ? [] : [caption, list];
}

/** @type {Readonly<Record<string, string>>} */
const MARK_CLASSES = { "-": "gone", "+": "come", " ": "same" };

/**
 * The first and the last line that differ bound the change; the lines around it are told
 * as they are, a few of them.
 *
 * @param {string} before
 * @param {string} after
 */
function changedLines(before, after) {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const marked = (/** @type {string} */ mark, /** @type {readonly string[]} */ lines) =>
    lines.map((text) => ({ mark, text }));
  return [
    ...marked(" ", old.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...marked("-", old.slice(start, old.length - end)),
    ...marked("+", now.slice(start, now.length - end)),
    ...marked(" ", now.slice(now.length - end, now.length - end + CONTEXT_LINES)),
  ];
}

/** @param {string} text */
function linesOf(text) {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/**
 * @param {string} text
 * @param {boolean} whole
 */
function block(text, whole) {
  const shown = whole ? text : text.slice(0, UNSHOWABLE_CHARS_MAX);
  const rest = text.length - shown.length;
  return build("pre", {}, [rest > 0 ? `${shown}\n(and ${rest.toLocaleString()} more characters)` : shown]);
}
