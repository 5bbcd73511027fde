import { Lexer } from "marked";
import { MarkdownBlocks, READING } from "../parts/markdown/blocks.ts";

/**
 * For the benchmark, in a process of its own: reads the Markdown on its input as it would
 * grow on the page, in blocks and whole each time, and prints what each took.
 */
const FLUSHES = 100;
const ROUNDS = 3;

let source = "";
for await (const piece of process.stdin.setEncoding("utf8")) source += String(piece);
const flushes = Array.from({ length: FLUSHES }, (_, i) =>
  source.slice(0, ((i + 1) * source.length) / FLUSHES),
);
const blocksMs = best(() => {
  const blocks = new MarkdownBlocks();
  return (part) => blocks.update(part, true);
});
const wholeMs = best(() => (part) => Lexer.lex(part, READING));
process.stdout.write(JSON.stringify({ blocksMs, wholeMs, flushes: FLUSHES }));

function best(reader: () => (part: string) => unknown): number {
  const took = Array.from({ length: ROUNDS }, () => {
    const read = reader();
    const began = performance.now();
    for (const part of flushes) read(part);
    return performance.now() - began;
  });
  return Math.min(...took);
}
