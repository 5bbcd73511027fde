const COUNTED_ROLES: readonly (readonly [role: RegExp, one: string, many: string])[] = [
  [/^link$/, "link", "links"],
  [/^button$/, "button", "buttons"],
  [/^(?:textbox|searchbox|combobox|checkbox|radio|spinbutton|slider)$/, "field", "fields"],
  [/^img$/, "picture", "pictures"],
];
const HEADINGS_TOLD_MAX = 3;
const BEGINNING_CHARS = 280;

/** A page in a few words, each of them counted in or copied from what reading it gave. */
export function inShort(read: string): string {
  const [head = "", ...rest] = read.split("\n\n");
  const lines = rest.join("\n\n").split("\n");
  const title = /^Title: (.+)$/m.exec(head)?.[1];
  const elements = lines.flatMap((line) => {
    const found =
      /^\s*- (?<role>[a-z]+)\b(?: "(?<name>(?:[^"\\]|\\.)*)")?[^:]*(?::(?:\s+(?<words>.+))?)?$/.exec(line);
    return found?.groups ? [found.groups as { role: string; name?: string; words?: string }] : [];
  });
  const headings = elements
    .filter(({ role }) => role === "heading")
    .map(({ name, words }) => name ?? words ?? "");
  const counts = COUNTED_ROLES.flatMap(([pattern, one, many]) => {
    const n = elements.filter(({ role }) => pattern.test(role)).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? one : many}`];
  });
  const beginning = elements
    .filter(({ role, words }) => (role === "paragraph" || role === "text") && words !== undefined)
    .map(({ words }) => words)
    .join(" ")
    .slice(0, BEGINNING_CHARS);
  return [
    title === undefined ? "The page has no title." : `Its title is “${title}”.`,
    headings.length === 0
      ? ""
      : `Headings: ${headings
          .slice(0, HEADINGS_TOLD_MAX)
          .map((name) => `“${name}”`)
          .join(
            ", ",
          )}${headings.length > HEADINGS_TOLD_MAX ? ` and ${headings.length - HEADINGS_TOLD_MAX} more` : ""}.`,
    counts.length === 0 ? "" : `It holds ${counts.join(", ")}.`,
    beginning === "" ? "" : `It begins: “${beginning}”`,
    /\[\d+ more lines; go on with offset \d+\]/.test(read) ? "It is longer than what I read of it." : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}
