/** A program of the kill matrix, and the numbers of those of its calls that are under way side by side. */
export interface ProgramShape {
  readonly name: string;
  readonly source: string;
  readonly sideBySide: readonly number[];
}

const NOTE = "tools.notes.note";

/** `erase` asks the owner; everything else is allowed. Programs are as a model writes them, types stripped. */
export const PROGRAM_SHAPES: readonly ProgramShape[] = [
  {
    name: "one after another",
    source: `const a = must(await ${NOTE}.save({ n: 1, chance: Math.random() }));
      const b = must(await ${NOTE}.read({ n: 2 }));
      return must(await ${NOTE}.save({ n: 3, after: [a.saved.n, b.saved.n] })).saved.n;`,
    sideBySide: [],
  },
  {
    name: "Promise.all of four",
    source: `const all = await Promise.all([1, 2, 3, 4].map((n) => ${NOTE}.save({ n })));
      return (await ${NOTE}.save({ n: 5, ok: all.filter((r) => r.ok).length })).ok;`,
    sideBySide: [1, 2, 3, 4],
  },
  {
    name: "Promise.race whose winner decides",
    source: `const first = await Promise.race([1, 2, 3].map((n) => ${NOTE}.save({ n })));
      return (await ${NOTE}.save({ n: 4, won: first.ok ? first.value.saved.n : 0 })).ok;`,
    sideBySide: [1, 2, 3],
  },
  {
    name: "Promise.any and allSettled with failures",
    source: `const may = async (n, more) => must(await ${NOTE}.save({ n, ...more })).saved.n;
      const any = await Promise.any([may(1, { fail: 1 }), may(2), may(3)]);
      const ends = await Promise.allSettled([may(4, { fail: 1 }), may(5)]);
      return must(await ${NOTE}.save({ n: 6, any, ends: ends.map((e) => e.status) })).saved.n;`,
    sideBySide: [1, 2, 3],
  },
  {
    name: "nested, with a read between",
    source: `const two = async (a, b) => { must(await ${NOTE}.save({ n: a })); must(await ${NOTE}.read({ n: a })); must(await ${NOTE}.save({ n: b })); };
      await Promise.all([two(1, 3), two(2, 4)]);
      return 1;`,
    sideBySide: [1, 2],
  },
  {
    name: "try, catch and finally",
    source: `try { must(await ${NOTE}.save({ n: 1, fail: 1 })); await ${NOTE}.save({ n: 2 }); }
      catch { await ${NOTE}.save({ n: 3 }); }
      finally { await ${NOTE}.save({ n: 4 }); }
      return 1;`,
    sideBySide: [],
  },
  {
    name: "against the clock",
    source: `await Promise.race([${NOTE}.save({ n: 1 }), sleep(500)]);
      await sleep(100);
      void (await Promise.race([${NOTE}.save({ n: 2 }), sleep(3_600_000)]));
      return 1;`,
    sideBySide: [],
  },
  {
    name: "one that asks in the middle",
    source: `must(await ${NOTE}.save({ n: 1 })); must(await ${NOTE}.erase({ n: 2, key: "secret-1" })); must(await ${NOTE}.save({ n: 3 }));`,
    sideBySide: [],
  },
  {
    name: "a plan, side by side",
    source: `const list = must(await ${NOTE}.read({ n: 9 }));
      const all = await Promise.all([1, 2, 3].map((n) => ${NOTE}.erase({ n })));
      return [list.saved.n, all.map((r) => r.ok)];`,
    sideBySide: [1, 2, 3],
  },
  {
    name: "equal calls of which the plan lists fewer",
    source: `const a = must(await ${NOTE}.save({ n: 1 }));
      const times = a.number > 1000 ? 2 : 3;
      const all = await Promise.all(Array.from({ length: times }, () => ${NOTE}.erase({ n: 2 })));
      return all.length;`,
    sideBySide: [],
  },
  {
    name: "calls that nobody waits for",
    source: `void ${NOTE}.save({ n: 1 }); void ${NOTE}.save({ n: 2 }).then(() => ${NOTE}.save({ n: 3 })); return 1;`,
    sideBySide: [1, 2],
  },
];

/** A program as a tree: every part of it is done whatever the order in which its calls are answered. */
export type ProgramTree =
  | { readonly kind: "call"; readonly tool: "save" | "read" | "erase"; readonly fail: boolean }
  | { readonly kind: "sleep"; readonly ms: number }
  | { readonly kind: "seq" | "all" | "race" | "any" | "settled"; readonly parts: readonly ProgramTree[] }
  | { readonly kind: "attempt"; readonly first: ProgramTree; readonly instead: ProgramTree };

/** Each call of it has a number of its own, so that none can be taken for another. */
export function programOf(parts: readonly ProgramTree[]): string {
  let calls = 0;
  const of = (tree: ProgramTree): string => `kept(${plain(tree)})`;
  const plain = (tree: ProgramTree): string => {
    if (tree.kind === "call") {
      const n = (calls += 1);
      const input = `{ n: ${n}, chance: chance[${n % 8}]${tree.fail ? ", fail: 1" : ""} }`;
      return `made(${NOTE}.${tree.tool}(${input}))`;
    }
    if (tree.kind === "sleep") return `sleep(${tree.ms})`;
    if (tree.kind === "attempt")
      return `(async () => { try { await ${of(tree.first)}; } catch { await ${of(tree.instead)}; } })()`;
    const inner = tree.parts.map(of);
    if (tree.kind === "seq") return `(async () => { ${inner.map((each) => `await ${each};`).join(" ")} })()`;
    const list = `[${inner.join(", ")}]`;
    // Who wins must not decide what is done.
    if (tree.kind === "race") return `Promise.race(${list}).catch(() => 0)`;
    return `Promise.${tree.kind === "settled" ? "allSettled" : tree.kind}(${list})`;
  };
  const lines = parts.map((each) => `try { await ${of(each)}; } catch (error) { console.log("went on"); }`);
  return [
    "const chance = Array.from({ length: 8 }, () => Math.random());",
    "const made = async (call) => must(await call);",
    "const all = [];",
    "const kept = (promise) => { all.push(promise); return promise; };",
    ...lines,
    // Otherwise a sleep that nobody waits for might end with the program, or lead to more before.
    "for (let n = -1; n < all.length;) { n = all.length; await Promise.allSettled(all); }",
    "return chance.length;",
  ].join("\n");
}
