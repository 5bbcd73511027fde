/** A bullet, a paragraph, a block of code or a table of a note, with the headings it stands under. */
export interface NotePiece {
  /** From 1, the last one included. */
  readonly line: number;
  readonly lineTo: number;
  readonly kind: "bullet" | "paragraph" | "heading";
  /** From the outermost. */
  readonly headings: readonly string[];
  /** Their lines. */
  readonly under: readonly number[];
  /** Without the bullet's mark; lines of one piece stay lines. */
  readonly text: string;
}

/**
 * Takes a note apart: by heading, then by bullet or paragraph. Nothing that a person would
 * read is left out but front matter and rules; a heading with nothing under it is a piece of its own.
 */
export function notePieces(markdown: string): NotePiece[] {
  const lines = markdown.split(/\r?\n/);
  const pieces: NotePiece[] = [];
  let headings: { readonly depth: number; readonly text: string; readonly line: number; used: boolean }[] =
    [];
  let open: { line: number; kind: "bullet" | "paragraph"; lines: string[] } | undefined;
  let fence: string | undefined;

  const close = (lineTo: number) => {
    const text = open?.lines.join("\n").trim() ?? "";
    if (open && text !== "") {
      for (const heading of headings) heading.used = true;
      pieces.push({ line: open.line, lineTo, kind: open.kind, ...above(headings), text });
    }
    open = undefined;
  };
  const leave = (depth: number) => {
    const left = headings.filter((each) => each.depth >= depth);
    headings = headings.filter((each) => each.depth < depth);
    const bare = left.findLast((each) => !each.used);
    if (bare) pieces.push(headingPiece(bare, [...headings, ...left]));
  };

  for (let i = frontMatterEnd(lines); i < lines.length; i++) {
    const line = lines[i]!;
    const number = i + 1;
    if (fence !== undefined) {
      open?.lines.push(line);
      if (line.trim().startsWith(fence)) fence = undefined;
      continue;
    }
    const heading = HEADING.exec(line);
    if (heading) {
      close(number - 1);
      const depth = heading[1]!.length;
      leave(depth);
      headings.push({ depth, text: withoutClosing(heading[2]!), line: number, used: false });
      continue;
    }
    if (line.trim() === "" || RULE.test(line)) {
      close(number - 1);
      continue;
    }
    const bullet = BULLET.exec(line);
    if (bullet) {
      close(number - 1);
      open = { line: number, kind: "bullet", lines: [bullet[1]!] };
      continue;
    }
    open ??= { line: number, kind: "paragraph", lines: [] };
    open.lines.push(open.kind === "bullet" ? line.trim() : line);
    fence = FENCE.exec(line)?.[1];
  }
  close(lines.length);
  leave(0);
  return pieces;
}

const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const FENCE = /^\s*(```|~~~)/;
const FRONT_MATTER_LINES_MAX = 100;

/** `## Title ##`, by hand: an expression for both ends takes for ever on a line of blanks. */
export function withoutClosing(given: string): string {
  const text = given.trimEnd();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  const closes = end < text.length && /\s/.test(text[end - 1] ?? " ");
  return closes ? text.slice(0, end).trimEnd() : text;
}

interface Heading {
  readonly text: string;
  readonly line: number;
}

function above(headings: readonly Heading[]): Pick<NotePiece, "headings" | "under"> {
  return { headings: headings.map(({ text }) => text), under: headings.map(({ line }) => line) };
}

/** The first line behind the block between two `---`, where the note begins with one. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trim() !== "---") return 0;
  const end = lines.slice(1, FRONT_MATTER_LINES_MAX).findIndex((line) => line.trim() === "---");
  return end < 0 ? 0 : end + 2;
}

function headingPiece(bare: Heading, around: readonly Heading[]): NotePiece {
  const { line, text } = bare;
  const outer = around.filter((each) => each.line < line);
  return { line, lineTo: line, kind: "heading", ...above(outer), text };
}
