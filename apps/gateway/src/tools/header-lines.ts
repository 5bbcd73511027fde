import type { TrustLabels } from "@elwood/core/tool/tool";

/**
 * Arguments that end up in a line of their own: a recipient, a subject, an address, a header. A
 * line break in one begins another line (`subject: "hi\r\nBcc: eve@example.org"`), of which nobody
 * was asked, so a tool that sends something out is not given it. Answers what is wrong, by path.
 */
export function brokenHeaderLines(labels: TrustLabels, input: unknown): string[] {
  if (labels.egress === "none") return [];
  const named = new Set(labels.critical.filter((name) => name !== "*" && !labels.content.includes(name)));
  const problems: string[] = [];
  let left = VALUES_MAX;
  const visit = (value: unknown, path: readonly string[], isHeader: boolean): void => {
    if (left-- <= 0) return;
    if (typeof value === "string") {
      if (isHeader && LINE_BREAK.test(value)) problems.push(`${path.join(".")}: ${BROKEN}`);
      return;
    }
    if (Array.isArray(value)) {
      for (const [i, each] of value.entries()) visit(each, [...path, String(i)], isHeader);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (isHeader && LINE_BREAK.test(key)) problems.push(`${path.join(".")}: a name in it ${BROKEN}`);
      const isNamed = path.length === 0 && named.has(key);
      visit(each, [...path, key], isHeader || isNamed || isHeaderName(key));
    }
  };
  visit(input, [], false);
  return problems;
}

/** More values than any input of a call has. */
const VALUES_MAX = 100_000;

/** All that some program takes for the end of a line, and the end of a text in C. */
const LINE_BREAK = /[\r\n\v\f\0\u0085\u2028\u2029]/;
const BROKEN = "holds a line break, which would begin another header. Write it on one line";

const HEADER_NAMES = new Set(
  "to cc bcc from sender replyto recipient recipients receiver addressee email emails mail address addresses phone number channel room subject title topic header headers cookie authorization useragent referer referrer host hostname url uri link href endpoint domain filename contenttype mimetype inreplyto references messageid listid returnpath iban account".split(
    " ",
  ),
);

/** `Reply-To`, `reply_to` and `replyTo` are one name. */
function isHeaderName(key: string): boolean {
  return HEADER_NAMES.has(key.toLowerCase().replaceAll(/[^a-z]/g, ""));
}
