/** A bullet, a paragraph, a block of code or a table of a note, with the headings it stands under. */
export interface NotePiece {
  /** From 1, the last one included. */
  readonly line: number;
  readonly lineTo: number;
  readonly kind: "bullet" | "paragraph" | "heading";
  /** From the outermost. */
  readonly headings: readonly string[];
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
      const above = headings.map((each) => each.text);
      pieces.push({ line: open.line, lineTo, kind: open.kind, headings: above, text });
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
      headings.push({ depth, text: heading[2]!.trim(), line: number, used: false });
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

const HEADING = /^ {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$/;
const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const FENCE = /^\s*(```|~~~)/;
const FRONT_MATTER_LINES_MAX = 100;

/** The first line behind the block between two `---`, where the note begins with one. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trim() !== "---") return 0;
  const end = lines.slice(1, FRONT_MATTER_LINES_MAX).findIndex((line) => line.trim() === "---");
  return end < 0 ? 0 : end + 2;
}

function headingPiece(
  bare: { readonly text: string; readonly line: number },
  around: readonly { readonly text: string; readonly line: number }[],
): NotePiece {
  const above = around.filter((each) => each.line < bare.line).map((each) => each.text);
  return { line: bare.line, lineTo: bare.line, kind: "heading", headings: above, text: bare.text };
}
