import { fail } from "@elwood/core/base/failure";

/** Of each version with error correction L: code words in all, for correction in a block, and blocks. */
const VERSIONS = [
  { all: 26, correction: 7, blocks: 1 },
  { all: 44, correction: 10, blocks: 1 },
  { all: 70, correction: 15, blocks: 1 },
  { all: 100, correction: 20, blocks: 1 },
  { all: 134, correction: 26, blocks: 1 },
  { all: 172, correction: 18, blocks: 2 },
  { all: 196, correction: 20, blocks: 2 },
  { all: 242, correction: 24, blocks: 2 },
  { all: 292, correction: 30, blocks: 2 },
] as const;

type Grid = (boolean | undefined)[][];

/** A text as a QR code (ISO/IEC 18004: bytes, correction L, versions 1 to 9): rows of dark modules. */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const bytes = [...new TextEncoder().encode(text)];
  const at = VERSIONS.findIndex(
    ({ all, correction, blocks }) => bytes.length + 2 <= all - correction * blocks,
  );
  const version = VERSIONS[at];
  if (version === undefined) return fail("INVALID_INPUT", "The text is too long for a QR code.");
  const size = 21 + 4 * at;
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  drawPatterns(grid, at + 1);
  const free = grid.map((row) => row.map((module) => module === undefined));
  place(grid, withCorrection(dataWords(bytes, version), version));
  const masked = MASKS.map((mask, number) => {
    const made = grid.map((row, y) =>
      row.map((module, x) => (free[y]?.[x] === true ? module !== mask(x, y) : module === true)),
    );
    drawFormat(made, number);
    return made;
  });
  const penalties = masked.map(penaltyOf);
  return masked[penalties.indexOf(Math.min(...penalties))]!;
}

/** For a terminal: two rows in a line, dark on light whatever its colours are, with the quiet edge that readers need. */
export function qrText(code: readonly (readonly boolean[])[]): string {
  const edge = 2;
  const isDark = (x: number, y: number) => code[y - edge]?.[x - edge] === true;
  const side = code.length + 2 * edge;
  const lines: string[] = [];
  for (let y = 0; y < side; y += 2) {
    let line = "";
    for (let x = 0; x < side; x++) line += HALVES[(isDark(x, y) ? 2 : 0) + (isDark(x, y + 1) ? 1 : 0)];
    lines.push(`\u001b[30;47m${line}\u001b[0m\n`);
  }
  return lines.join("");
}

const HALVES = [" ", "▄", "▀", "█"] as const;

interface Version {
  readonly all: number;
  readonly correction: number;
  readonly blocks: number;
}

function dataWords(bytes: readonly number[], { all, correction, blocks }: Version): number[] {
  const room = all - correction * blocks;
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >>> i) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, 8);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const words: number[] = [];
  for (let i = 0; i < bits.length; i += 8)
    words.push(bits.slice(i, i + 8).reduce((sum, bit) => sum * 2 + bit, 0));
  for (let pad = 0xec; words.length < room; pad ^= 0xec ^ 0x11) words.push(pad);
  return words;
}

/** Each block with its correction, one word of each in turn. */
function withCorrection(words: readonly number[], { correction, blocks }: Version): number[] {
  const short = Math.floor(words.length / blocks);
  const long = words.length % blocks;
  const divisor = divisorOf(correction);
  const parts: { readonly data: readonly number[]; readonly check: readonly number[] }[] = [];
  for (let i = 0, from = 0; i < blocks; i++) {
    const data = words.slice(from, (from += short + (i >= blocks - long ? 1 : 0)));
    parts.push({ data, check: remainder(data, divisor) });
  }
  const longest = Math.max(...parts.map(({ data }) => data.length));
  const out: number[] = [];
  for (let i = 0; i < longest; i++) for (const { data } of parts) if (i < data.length) out.push(data[i]!);
  for (let i = 0; i < correction; i++) for (const { check } of parts) out.push(check[i]!);
  return out;
}

/** In the field of 256 elements over x^8 + x^4 + x^3 + x^2 + 1. */
function product(a: number, b: number): number {
  let sum = 0;
  for (let i = 7; i >= 0; i--) {
    sum = (sum << 1) ^ ((sum >>> 7) * 0x11d);
    sum ^= ((b >>> i) & 1) * a;
  }
  return sum;
}

function divisorOf(degree: number): number[] {
  const out: number[] = Array.from({ length: degree }, (_, i) => (i === degree - 1 ? 1 : 0));
  for (let i = 0, root = 1; i < degree; i++, root = product(root, 2))
    for (let j = 0; j < degree; j++) out[j] = product(out[j]!, root) ^ (out[j + 1] ?? 0);
  return out;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const out = divisor.map(() => 0);
  for (const word of data) {
    const factor = word ^ out.shift()!;
    out.push(0);
    for (const [i, coefficient] of divisor.entries()) out[i] = out[i]! ^ product(coefficient, factor);
  }
  return out;
}

function drawPatterns(grid: Grid, version: number): void {
  const size = grid.length;
  const put = (x: number, y: number, dark: boolean) => {
    if (grid[y] !== undefined && x >= 0 && x < size) grid[y][x] = dark;
  };
  for (let i = 0; i < size; i++) {
    put(6, i, i % 2 === 0);
    put(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const far = Math.max(Math.abs(dx), Math.abs(dy));
        put(cx + dx, cy + dy, far !== 2 && far !== 4);
      }
  const centres = version === 1 ? [] : [6, ...middle(version, size), size - 7];
  for (const x of centres)
    for (const y of centres) {
      const inCorner = (x === 6 && y === 6) || (x === 6 && y === size - 7) || (x === size - 7 && y === 6);
      if (inCorner) continue;
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) put(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }
  drawFormat(grid, 0);
  if (version < 7) return;
  let rest = version;
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >>> i) & 1) === 1;
    const a = size - 11 + (i % 3);
    const b = Math.floor(i / 3);
    put(a, b, dark);
    put(b, a, dark);
  }
}

function middle(version: number, size: number): number[] {
  return version < 7 ? [] : [6 + (size - 13) / 2];
}

function drawFormat(grid: Grid, mask: number): void {
  const size = grid.length;
  const data = (0b01 << 3) | mask;
  let rest = data;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const bit = (i: number) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) grid[i]![8] = bit(i);
  grid[7]![8] = bit(6);
  grid[8]![8] = bit(7);
  grid[8]![7] = bit(8);
  for (let i = 9; i < 15; i++) grid[8]![14 - i] = bit(i);
  for (let i = 0; i < 8; i++) grid[8]![size - 1 - i] = bit(i);
  for (let i = 8; i < 15; i++) grid[size - 15 + i]![8] = bit(i);
  grid[size - 8]![8] = true;
}

/** Upwards and downwards in turn, two columns at a time, from the right. */
function place(grid: Grid, words: readonly number[]): void {
  const size = grid.length;
  let i = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const isUp = ((right + 1) & 2) === 0;
        const y = isUp ? size - 1 - step : step;
        if (grid[y]![x] !== undefined) continue;
        grid[y]![x] = (((words[i >>> 3] ?? 0) >>> (7 - (i & 7))) & 1) === 1;
        i += 1;
      }
  }
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** How hard a pattern is to read; any mask can be, so a simple count of what confuses readers does. */
function penaltyOf(grid: readonly (readonly boolean[])[]): number {
  const columns = grid.map((_, x) => grid.map((row) => row[x] === true));
  let penalty = 0;
  for (const line of [...grid, ...columns]) {
    const text = line.map((dark) => (dark ? "1" : "0")).join("");
    for (const run of text.matchAll(/0{5,}|1{5,}/g)) penalty += run[0].length - 2;
    for (const _ of text.matchAll(/(?=10111010000|00001011101)/g)) penalty += 40;
  }
  for (let y = 1; y < grid.length; y++)
    for (let x = 1; x < grid.length; x++) {
      const same = [grid[y - 1]![x], grid[y]![x - 1], grid[y - 1]![x - 1]];
      if (same.every((dark) => dark === grid[y]![x])) penalty += 3;
    }
  const dark = grid.flat().filter(Boolean).length / grid.length ** 2;
  return penalty + Math.floor(Math.abs(dark - 0.5) * 20) * 10;
}
