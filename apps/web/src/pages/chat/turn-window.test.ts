import { describe, expect, test } from "vitest";
import {
  afterChange,
  around,
  DRAWN_MAX,
  REMOVED_PER_FRAME,
  goalOf,
  newest,
  nextWindow,
  type Goal,
  type Reader,
  type TurnWindow,
} from "./turn-window.ts";

const COUNT = 1_000;
/** A screen shows about four turns here. */
const TURNS_PER_SCREEN = 4;

/** A reader who looks at one turn while as much is drawn as there is to draw. */
function settle(window: TurnWindow, at: number, goal?: Goal): TurnWindow {
  let now = window;
  for (let frame = 0; frame < 10 * COUNT; frame++) {
    const next = nextWindow(now, COUNT, readerAt(now, at), goal);
    if (!next) return now;
    expect(next.from).toBeGreaterThanOrEqual(0);
    expect(next.to).toBeLessThanOrEqual(COUNT);
    now = next;
  }
  throw new Error("it never comes to rest");
}

function readerAt({ from, to }: TurnWindow, at: number): Reader {
  return {
    above: Math.max(0, at - from) / TURNS_PER_SCREEN,
    below: Math.max(0, to - at) / TURNS_PER_SCREEN - 1,
  };
}

describe("the turns that are drawn", () => {
  test("are a few of the newest at once, and about eighty messages soon after", () => {
    expect(newest(COUNT)).toEqual({ from: 990, to: 1_000 });
    expect(settle(newest(COUNT), 996)).toEqual({ from: 958, to: 1_000 });
    expect(newest(3)).toEqual({ from: 0, to: 3 });
  });

  test("are never many more than the limit, and always some screens ahead of the reader, whichever way they go", () => {
    let window = settle(newest(COUNT), 996);
    for (const way of [-1, 1]) {
      for (let at = way < 0 ? 996 : 0; at >= 0 && at <= 996; at += way) {
        window = settle(window, at);
        expect(window.from === 0 || at - window.from >= TURNS_PER_SCREEN).toBe(true);
        expect(window.to === COUNT || window.to - at >= 2 * TURNS_PER_SCREEN).toBe(true);
        expect(window.to - window.from).toBeLessThanOrEqual(DRAWN_MAX);
      }
      expect(way < 0 ? window.from : window.to).toBe(way < 0 ? 0 : COUNT);
    }
  });

  test("come to rest where all of them fit on one screen: nothing goes and comes by turns", () => {
    const huge: Reader = { above: 0, below: 0 };
    let window = newest(COUNT);
    for (let next: TurnWindow | undefined = window; next; next = nextWindow(window, COUNT, huge))
      window = next;
    expect(window).toEqual({ from: 0, to: COUNT });
  });

  test("reach as far as was asked for by a button, even if the reader stays where they are", () => {
    const before = settle(newest(COUNT), 996);
    const goal = goalOf("earlier", before, COUNT);
    expect(settle(before, 996, goal)).toEqual({ from: 916, to: 1_000 });
    // Also where as many are drawn as may be: it is more, then, rather than nothing.
    const full = { from: 852, to: 1_000 };
    expect(settle(full, 996, goalOf("earlier", full, COUNT)).from).toBe(810);
    const middle = around(400, COUNT);
    expect(middle).toEqual({ from: 395, to: 405 });
    const later = settle(middle, 400, goalOf("later", middle, COUNT));
    expect(later.to).toBe(447);
  });

  test("keep a turn that is written in, and come all the same", () => {
    const to = 400 + DRAWN_MAX - 1;
    const full = { from: 400, to };
    const uses = { start: false, end: true };
    expect(nextWindow(full, COUNT, { above: 1, below: 30, uses })).toEqual({ from: 398, to });
    expect(nextWindow(full, COUNT, { above: 1, below: 30 })).toEqual({
      from: 400,
      to: to - REMOVED_PER_FRAME,
    });
  });

  test("follow the newest one as long as it is among them", () => {
    expect(afterChange({ from: 950, to: 1_000 }, 1_000, 1_001)).toEqual({ from: 950, to: 1_001 });
    expect(afterChange({ from: 400, to: 500 }, 1_000, 1_001)).toEqual({ from: 400, to: 500 });
    expect(afterChange({ from: 0, to: 0 }, 0, 5)).toEqual({ from: 0, to: 5 });
    // A thousand that come at once are not drawn at once.
    expect(afterChange({ from: 0, to: 0 }, 0, 1_000)).toEqual(newest(1_000));
    expect(afterChange({ from: 0, to: 1 }, 1, 1_000)).toEqual(newest(1_000));
    expect(afterChange({ from: 400, to: 500 }, 1_000, 450)).toEqual({ from: 400, to: 450 });
    expect(afterChange({ from: 400, to: 500 }, 1_000, 30)).toEqual({ from: 20, to: 30 });
  });

  test("do not grow without end while a conversation goes on", () => {
    let window = settle(newest(COUNT), 996);
    for (let count = COUNT + 1; count < COUNT + 400; count++) {
      window = afterChange(window, count - 1, count);
      for (
        let next = nextWindow(window, count, readerAt(window, count - 4));
        next;
        next = nextWindow(window, count, readerAt(window, count - 4))
      )
        window = next;
    }
    expect(window.to).toBe(COUNT + 399);
    expect(window.to - window.from).toBeLessThanOrEqual(DRAWN_MAX);
  });
});
