import {
  PROGRAM_SHAPES,
  programOf,
  type ProgramShape,
  type ProgramTree,
} from "@elwood/testkit/program-shapes";
import { tryProgram, type ProgramTrial, type ProgramTrialResult } from "@elwood/testkit/program-trial";
import { ALLOW, ASK } from "@elwood/testkit/program-world";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engineModules, InlineSandbox } from "../programs/test-inline-sandbox.ts";

/**
 * Programs whose process dies at its writes, in every order in which their calls can be
 * answered. `npm test` takes a part of it; `npm run crash -- programs` takes all.
 */
const FULL = process.env["ELWOOD_CRASH"] === "full";
const SEED = Number(process.env["ELWOOD_PROGRAM_SEED"] ?? (FULL ? Date.now() % 1_000_000_000 : 5));
const RUNS = Number(process.env["ELWOOD_PROGRAM_RUNS"] ?? (FULL ? 3_000 : 30));
const MS_MAX = FULL ? 60 * 60_000 : 60_000;
const MOMENTS = ["before", "after"] as const;

const modules = engineModules();
const common = {
  sandbox: (clock) => new InlineSandbox(clock, modules),
  verdict: (toolId: string) => (toolId === "notes.note.erase" ? ASK : ALLOW),
} satisfies Partial<ProgramTrial>;
let trials = 0;

describe("OA-1: killed at its writes and started again, a program does nothing twice and loses nothing:", () => {
  test.each(PROGRAM_SHAPES)("$name", { timeout: MS_MAX }, async (shape) => {
    const began = trials;
    const orders = permutations(shape.sideBySide);
    const worlds = new Set<string>();
    const wrong: string[] = [];
    const quiet: ProgramTrialResult[] = [];
    for (const order of orders) {
      const result = await tried(shape, order);
      quiet.push(result);
      worlds.add(result.world.join("\n"));
      wrong.push(...told(`${order.join()} without a kill`, result));
    }
    for (const [at, order] of orders.entries()) {
      for (const kill of killsOf(quiet[at]!.writes, at)) {
        const result = await tried(shape, order, kill);
        const name = `${order.join()} ${kill.moment} ${kill.write} ${quiet[at]!.writes[kill.write]}`;
        wrong.push(...told(name, result));
        if (result.deaths !== 1) wrong.push(`${name}: it did not die there`);
        if (result.unknown === 0 && !worlds.has(result.world.join("\n")))
          wrong.push(`${name}: another world\n${result.world.join("\n")}\n${result.story.join("\n")}`);
      }
    }
    report(`programs tried, ${shape.name}: ${trials - began} in ${orders.length} orders`);
    expect(wrong).toEqual([]);
  });
});

interface Kill {
  readonly write: number;
  readonly moment: "before" | "after";
}

/** All of them; or, in the quick set, those of the journal and the ledger in one order, by turns before and after, and one in each other order. */
function killsOf(writes: readonly string[], order: number): Kill[] {
  const all = writes.flatMap((_, write) => MOMENTS.map((moment) => ({ write, moment })));
  if (FULL) return all;
  const telling = all.filter(({ write }) => !writes[write]!.startsWith("vault"));
  if (order > 0) return telling.slice((order * 7) % telling.length).slice(0, 1);
  return telling.filter((_, i) => i % 6 === 0 || i % 6 === 3);
}

async function tried(
  { source }: ProgramShape,
  order: readonly number[],
  kill?: Kill,
): Promise<ProgramTrialResult> {
  trials += 1;
  return tryProgram({
    ...common,
    source,
    choose: (options) => first(options, order),
    fate: (write, moment) => (write === kill?.write && moment === kill.moment ? "die" : "fine"),
  });
}

/** The owner decides at once; calls are answered in this order; time passes when nothing else is left. */
function first(options: readonly string[], order: readonly number[]): number {
  const rank = (option: string) => {
    if (option.startsWith("answer")) return -1;
    if (option === "time") return order.length + 1;
    const at = order.indexOf(Number(/"n":(\d+)/.exec(option)?.[1]));
    return at < 0 ? order.length : at;
  };
  const ranks = options.map(rank);
  return ranks.indexOf(Math.min(...ranks));
}

function told(name: string, { problems, story }: ProgramTrialResult): string[] {
  return problems.length === 0 ? [] : [`${name}: ${problems.join("; ")}\n${story.join("\n")}`];
}

function permutations(of: readonly number[]): number[][] {
  if (of.length <= 1) return [[...of]];
  return of.flatMap((each) =>
    permutations(of.filter((other) => other !== each)).map((rest) => [each, ...rest]),
  );
}

const trees = fc.letrec<{ tree: ProgramTree; call: ProgramTree; group: ProgramTree; attempt: ProgramTree }>(
  (tie) => ({
    tree: fc.oneof({ maxDepth: 2, withCrossShrink: true }, tie("call"), tie("group"), tie("attempt")),
    call: fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant("call" as const),
          tool: fc.constantFrom("save" as const, "save" as const, "read" as const, "erase" as const),
          fail: fc.nat(5).map((n) => n === 0),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("sleep" as const), ms: fc.nat(1_500) }) },
    ),
    group: fc.record({
      kind: fc.constantFrom(
        "seq" as const,
        "all" as const,
        "race" as const,
        "any" as const,
        "settled" as const,
      ),
      parts: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    }),
    attempt: fc.record({ kind: fc.constant("attempt" as const), first: tie("tree"), instead: tie("tree") }),
  }),
);

/** Something that befalls it: at a write, or when nothing moves. */
const blows = fc.oneof(
  fc.record({
    at: fc.constant("write" as const),
    nth: fc.nat(120),
    moment: fc.constantFrom(...MOMENTS),
    what: fc.constantFrom("die" as const, "die" as const, "fail" as const),
  }),
  fc.record({
    at: fc.constant("step" as const),
    nth: fc.nat(25),
    what: fc.constantFrom(
      "die" as const,
      "shutdown" as const,
      "stop" as const,
      "lose" as const,
      "lose" as const,
    ),
  }),
);

test(
  `OA-1: ${RUNS} random programs, orders and blows (seed ${SEED}): the world adds up`,
  { timeout: MS_MAX },
  async () => {
    const before = trials;
    report(`random programs: ELWOOD_PROGRAM_SEED=${SEED}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(trees.tree, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(10), { minLength: 20, maxLength: 20 }),
        fc.array(blows, { minLength: 1, maxLength: 3 }),
        async (parts, luck, hits) => {
          const source = programOf(parts);
          const quiet = await tryProgram({ ...common, source, choose: drawn(luck) });
          const result = await tryProgram({ ...common, source, choose: drawn(luck), ...struckBy(hits) });
          trials += 2;
          const story = `${source}\n${result.story.join("\n")}`;
          expect([...quiet.problems, ...result.problems], story).toEqual([]);
          expect(new Set(result.world).size, story).toBe(result.world.length);
          // A call that was stopped, by a person or because the disk was full, is told to have failed, and the program may see that.
          const cutShort = hits.some(({ what }) => what === "fail" || what === "stop");
          if (result.unknown === 0 && !cutShort) expect(result.world, story).toEqual(quiet.world);
        },
      ),
      { seed: SEED, numRuns: RUNS, endOnFailure: !FULL },
    );
    report(`random programs tried: ${trials - before}`);
  },
);

const TIMES_MAX = 8;

/** Time may run ahead of calls that are under way, but not beyond what they may take. */
function drawn(luck: readonly number[]): (options: readonly string[]) => number {
  let step = 0;
  let times = 0;
  return (options) => {
    const at = luck[step++ % luck.length]! % options.length;
    if (options[at] !== "time" || options.length === 1) return at;
    times += 1;
    return times > TIMES_MAX ? 0 : at;
  };
}

function struckBy(
  hits: readonly (
    | { at: "write"; nth: number; moment: "before" | "after"; what: "die" | "fail" }
    | { at: "step"; nth: number; what: "die" | "shutdown" | "stop" | "lose" }
  )[],
): Pick<ProgramTrial, "fate" | "blow"> {
  return {
    fate: (write, moment) =>
      (hits.find((hit) => hit.at === "write" && hit.nth === write && hit.moment === moment)?.what as
        | "die"
        | "fail"
        | undefined) ?? "fine",
    blow: (step) => {
      const hit = hits.find((each) => each.at === "step" && each.nth === step);
      return hit?.at === "step" ? hit.what : "none";
    },
  };
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
