/** As much Markdown as the tests of the documentation have to read. */

/** Where a page's links and pictures lead; what stands in code is no link. */
export function linksOf(markdown: string): string[] {
  const prose = withoutFences(markdown).replaceAll(/`[^`\n]*`/g, "");
  const found = prose.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g);
  return [...found].map(([, link, source]) => link ?? source!);
}

/** The anchors that a page's headings get where it is shown: small letters, dashes for blanks, no punctuation. */
export function headingAnchors(markdown: string): string[] {
  const headings = withoutFences(markdown).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The rows of all tables under a heading, without their heads. */
export function tableUnder(markdown: string, heading: string): string[][] {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading);
  if (start < 0) throw new Error(`There is no heading "${heading}".`);
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line));
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  const rows = section.map((line) => (line.startsWith("|") ? cellsOf(line) : undefined));
  const isRule = (cells: string[] | undefined) => cells?.every((cell) => /^:?-+:?$/.test(cell)) ?? false;
  return rows.filter(
    (cells, i) => cells !== undefined && !isRule(cells) && !isRule(rows[i + 1]),
  ) as string[][];
}

export function codeSpans(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^( *)```[^]*?^\1```$/gm, "");
}
