/** Drawn at once when a session is opened, or its newest turns are gone to. */
const AT_ONCE = 10;
/** Drawn soon after, without being asked for: about eighty messages. */
export const SHOWN = 42;
/** More than these are not drawn at a time, unless they are that short. */
export const DRAWN_MAX = 90;
/** Drawn in one frame: more while a session opens, when nothing moves yet, than under a reader's eyes. */
const STEP_OPENING = 8;
const STEP = 2;
/** How many turns one frame removes; fewer than are added. */
export const REMOVED_PER_FRAME = 4;

/** The turns that are drawn: those from `from` up to, but not including, `to`. */
export interface TurnWindow {
  readonly from: number;
  readonly to: number;
}

/** How the reader stands in it: screens of turns above and below what is seen. */
export interface Reader {
  readonly above: number;
  readonly below: number;
  /** Where something is written in, or has the focus, of the turns that would go first. */
  readonly uses?: { readonly start: boolean; readonly end: boolean };
}

/** Turns are drawn until there are so many screens of them ahead of the reader. */
const AHEAD = 1.5;
/** Turns go when they are so many screens away; well beyond `AHEAD`, so that none goes and comes by turns. */
const FAR = 4;

export function newest(count: number): TurnWindow {
  return { from: Math.max(0, count - AT_ONCE), to: count };
}

/** A turn and what stands around it. */
export function around(index: number, count: number): TurnWindow {
  const from = Math.max(0, index - AT_ONCE / 2);
  return { from, to: Math.min(count, from + AT_ONCE) };
}

/** The same turns after some came or went at the end; whoever saw the newest one goes on seeing it. */
export function afterChange({ from, to }: TurnWindow, before: number, count: number): TurnWindow {
  if (to < Math.min(before, count)) return { from, to };
  const isStep = from < count && count - to <= AT_ONCE;
  return isStep && before > 0 ? { from, to: count } : newest(count);
}

/** How far the turns shall reach that somebody asked for with a button. */
export interface Goal {
  readonly way: "earlier" | "later";
  readonly index: number;
}

export function goalOf(way: Goal["way"], { from, to }: TurnWindow, count: number): Goal {
  return { way, index: way === "earlier" ? Math.max(0, from - SHOWN) : Math.min(count, to + SHOWN) };
}

/**
 * What is drawn in the next frame; undefined when nothing is to be done. It grows at the
 * end that the reader comes near to, and lets go at the other, never both in one frame:
 * what stays as large as it was is not seen to have changed.
 */
export function nextWindow(
  { from, to }: TurnWindow,
  count: number,
  reader: Reader | undefined,
  goal?: Goal,
): TurnWindow | undefined {
  const drawn = to - from;
  const { above, below, uses } = reader ?? { above: AHEAD, below: AHEAD };
  if (drawn > DRAWN_MAX - STEP) {
    const atStart = above > FAR && goal?.way !== "earlier" && !uses?.start;
    const atEnd = below > FAR && goal?.way !== "later" && !uses?.end;
    if (atStart && (above > below || !atEnd)) return { from: from + REMOVED_PER_FRAME, to };
    if (atEnd) return { from, to: to - REMOVED_PER_FRAME };
  }

  const opening = to === count && drawn < SHOWN;
  if (from > 0 && (opening || above < AHEAD || (goal?.way === "earlier" && from > goal.index)))
    return { from: Math.max(0, from - (opening ? STEP_OPENING : STEP)), to };
  if (to < count && (below < AHEAD || (goal?.way === "later" && to < goal.index)))
    return { from, to: Math.min(count, to + STEP) };
  return undefined;
}
