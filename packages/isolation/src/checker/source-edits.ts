/** Where a place of the edited text lies in the source, and in which insertion if in one. */
export interface Place<Mark> {
  readonly at: number;
  readonly mark?: Mark;
}

interface Insertion<Mark> {
  readonly text: string;
  readonly mark?: Mark | undefined;
}

/**
 * Insertions into a text that is otherwise left as it is. What a compiler says of the
 * edited text can be taken back to the source, and what it says of an insertion is known by
 * its mark.
 */
export class SourceEdits<Mark> {
  readonly #starts = new Map<number, Insertion<Mark>[]>();
  readonly #ends = new Map<number, Insertion<Mark>[]>();

  /** Puts `open` before and `close` after a piece. Outer pieces must come before inner ones. */
  wrap(
    piece: { readonly start: number; readonly end: number },
    open: string,
    close: string,
    mark?: Mark,
  ): void {
    push(this.#starts, piece.start, { text: open, mark });
    push(this.#ends, piece.end, { text: close, mark });
  }

  apply(source: string): { readonly text: string; place(at: number): Place<Mark> } {
    const positions = [...new Set([...this.#starts.keys(), ...this.#ends.keys()])].toSorted((a, b) => a - b);
    const pieces: { from: number; to: number; source: number; mark?: Mark | undefined; inserted: boolean }[] =
      [];
    let text = "";
    const add = (piece: string, at: number, inserted: boolean, mark?: Mark) => {
      if (piece !== "") {
        pieces.push({ from: text.length, to: text.length + piece.length, source: at, mark, inserted });
      }
      text += piece;
    };
    let done = 0;
    for (const at of positions) {
      add(source.slice(done, at), done, false);
      // What ends here belongs to the inner pieces first; what starts here, to the outer ones.
      for (const each of (this.#ends.get(at) ?? []).toReversed()) add(each.text, at, true, each.mark);
      for (const each of this.#starts.get(at) ?? []) add(each.text, at, true, each.mark);
      done = at;
    }
    add(source.slice(done), done, false);
    return {
      text,
      place: (at) => {
        const piece = pieces.find(({ from, to }) => at >= from && at < to);
        if (piece === undefined) return { at: source.length };
        if (!piece.inserted) return { at: piece.source + at - piece.from };
        return piece.mark === undefined ? { at: piece.source } : { at: piece.source, mark: piece.mark };
      },
    };
  }
}

/** Line and column of a position, both from 1, and the line itself. */
export function positionIn(source: string, at: number): { line: number; column: number; text: string } {
  const lines = /\r\n|[\n\r\u2028\u2029]/g;
  let line = 1;
  let start = 0;
  let end = source.length;
  for (let found = lines.exec(source); found !== null; found = lines.exec(source)) {
    if (found.index >= at) {
      end = found.index;
      break;
    }
    line += 1;
    start = found.index + found[0].length;
  }
  return { line, column: Math.max(0, at - start) + 1, text: source.slice(start, Math.max(start, end)) };
}

function push<T>(map: Map<number, T[]>, key: number, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
