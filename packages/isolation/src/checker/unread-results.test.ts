import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkProgram } from "./check-program.ts";
import { warmCompiler, type Compiler } from "./compiler.ts";
import { DECLARATIONS } from "./test-programs.ts";

let compiler: Compiler;
beforeAll(async () => {
  compiler = await warmCompiler();
});
afterAll(() => compiler.close());

function codesOf(source: string): string[] {
  const answer = checkProgram(
    { source, declarations: DECLARATIONS.check.text, tools: DECLARATIONS.tools },
    compiler,
  );
  return answer.ok
    ? []
    : answer.problems.map((each) => `${each.line}:${each.column} ${each.code} ${each.message}`);
}

const W = `tools.files.file.write({ path: "a", content: "b" })`;
const D = `tools.files.file.delete({ path: "a" })`;
const R = `tools.files.file.read({ path: "a" })`;

/** Programs that look at what their writes answered, in the many ways people do. */
const HONEST: Readonly<Record<string, string>> = {
  "asks ok and returns the error": `const r = await ${W}; if (!r.ok) return r.error.message; return r.value.bytes;`,
  "stops with must": `must(await ${W}); return "done";`,
  "uses the value of must": `const { bytes } = must(await ${W}); return bytes;`,
  "returns the result": `return await ${W};`,
  "returns the promise": `return ${W};`,
  "returns it from a function": `async function save() { return ${W}; } const r = await save(); return r.ok;`,
  "prints it": `const r = await ${W}; console.log(r);`,
  "prints it at once": `console.log(await ${W});`,
  "puts it into text": "const r = await " + W + "; return `wrote: ${JSON.stringify(r)}`;",
  "asks in a ternary": `const r = await ${W}; return r.ok ? "yes" : r.error.message;`,
  "asks without a name": `if (!(await ${W}).ok) return "no"; return "yes";`,
  "asks with ===": `const r = await ${W}; if (r.ok === false) throw new Error(r.error.message);`,
  "switches on ok": `const r = await ${W}; switch (r.ok) { case true: return 1; default: return 2; }`,
  "takes ok out": `const { ok } = await ${W}; return ok;`,
  "asks with in": `const r = await ${W}; if ("error" in r) return r.error.code;`,
  "asks a helper": `function failed(r: Result<unknown>) { return !r.ok; } const r = await ${W}; if (failed(r)) return "no";`,
  "hands it to a helper without types": `function note(r) { console.log(r.ok); } note(await ${W});`,
  "collects and looks later": `const all = []; for (const p of ["a", "b"]) all.push(await tools.files.write({ path: p, content: "" })); return all.filter((r) => !r.ok).length;`,
  "waits for all and looks": `const all = await Promise.all([${W}, ${D}]); for (const r of all) if (!r.ok) console.warn(r.error.message);`,
  "takes all apart and looks": `const [a, b] = await Promise.all([${W}, ${D}]); if (!a.ok || !b.ok) return "no";`,
  "takes all apart with a rest": `const [first, ...rest] = await Promise.all([${W}, ${W}, ${D}]); return [first.ok, rest.every((r) => r.ok)];`,
  "maps all": `return (await Promise.all(["a", "b"].map((path) => tools.files.delete({ path })))).map((r) => r.ok);`,
  "looks inside the map": `await Promise.all(["a"].map(async (path) => { const r = await tools.files.delete({ path }); if (!r.ok) console.error(path, r.error.message); }));`,
  "uses must inside the map": `await Promise.all(["a"].map(async (path) => must(await tools.files.delete({ path }))));`,
  "waits for allSettled and looks": `const all = await Promise.allSettled([${W}, ${W}]); return all.map((s) => s.status === "fulfilled" && s.value.ok);`,
  "looks in then": `await ${W}.then((r) => { if (!r.ok) console.warn(r.error.message); });`,
  "hands then a function": `await ${W}.then(console.log);`,
  "uses must in then": `return await ${W}.then(must);`,
  "takes ok out in then": `return await ${W}.then(({ ok }) => ok);`,
  "keeps it in an object that is returned": `const out = { r: await ${W} }; return out;`,
  "keeps it in a map that is returned": `const out = new Map<string, boolean>(); out.set("a", (await ${W}).ok); return [...out];`,
  "keeps it under a name": `const out: Record<string, unknown> = {}; out["a"] = await ${W}; return out;`,
  "drops what was only read": `await ${R}; return 1;`,
  "drops many reads": `await Promise.all([${R}, ${R}]); return 1;`,
  "looks at reads": `const r = await ${R}; if (!r.ok) return "no"; return r.value.text.length;`,
  "retries in a loop": `let r = await ${W}; for (let i = 0; i < 3 && !r.ok && r.error.retryable; i++) { await sleep(100); r = await ${W}; } return r.ok;`,
  "looks between two": `let r = await ${W}; if (!r.ok) return r; r = await ${W}; return r;`,
  "catches around must": `try { must(await ${D}); } catch (e) { console.log(e.message); }`,
  "uses finally": `try { must(await ${D}); } finally { console.log("over"); }`,
  "starts two and waits later": `const a = ${W}; const b = ${D}; const [x, y] = [await a, await b]; return x.ok && y.ok;`,
  "hands a promise to a list": `const work = [${W}]; work.push(${W}); for (const r of await Promise.all(work)) if (!r.ok) return r.error;`,
  "races and looks": `const r = await Promise.race([${W}, ${W}]); return r.ok;`,
  "loops over results of reads and writes": `const list = await tools.github.issue.list({ repo: "a/b", state: "open" }); if (!list.ok) return list.error; let closed = 0; for (const issue of list.value.issues) { const r = await tools.github.issue.close({ repo: "a/b", number: issue.number }); if (r.ok && r.value.closed) closed++; } return closed;`,
  "has a generic helper": `async function timed<T>(f: () => Promise<T>): Promise<T> { const r = await f(); return r; } const r = await timed(() => ${W}); return r.ok;`,
  "counts words in an object": `const counts = {}; for (const w of "a b a".split(" ")) counts[w] = (counts[w] ?? 0) + 1; return counts;`,
  "catches an error and reads its message": `try { JSON.parse("{"); } catch (error) { console.log(error.message); }`,
  "uses optional chaining": `const r = await ${W}; return r?.ok ?? false;`,
  "spreads it": `const r = await ${W}; return { ...r };`,
  "looks in a closure": `const r = await ${W}; const said = () => (r.ok ? "yes" : "no"); return said();`,
  "uses a class": `class Saver { async save() { return ${W}; } } const r = await new Saver().save(); return r.ok;`,
  "keeps results in a map and walks it": `const m = new Map<string, Result<unknown>>(); m.set("a", await ${W}); for (const [k, r] of m) console.log(k, r.ok);`,
  "assigns within the question": `let r; if ((r = await ${W}).ok) return 1; return r.error;`,
  "may have no result yet": `let last: Result<unknown> | undefined; for (const path of ["a"]) last = await tools.files.delete({ path }); if (last && !last.ok) return last.error;`,
  "sorts what it collected": `const all = await Promise.all([${W}, ${D}]); all.sort((a, b) => Number(a.ok) - Number(b.ok)); return all;`,
  "groups what it read": `const r = await tools.github.issue.list({ repo: "a" }); return r.ok ? Object.groupBy(r.value.issues, (i) => i.title) : r.error;`,
  "checks with its own function": `const check = (r: Result<unknown>) => { if (!r.ok) throw new Error(r.error.message); }; check(await ${W}); check(await ${D});`,
  "makes up a result in a catch": `const r = await ${W}.catch((e) => ({ ok: false as const, error: { message: String(e) } })); return r.ok;`,
  "is a generator": `async function* each() { yield await ${W}; } for await (const r of each()) if (!r.ok) return r.error;`,
};

/** Programs in which the failure of a write would go unseen; the code that must be told for each. */
const CARELESS: Readonly<Record<string, string>> = {
  "awaits and drops": `await ${W};`,
  "awaits and drops a destructive call": `await ${D};`,
  "does not even await": `${W};`,
  "drops by the short name": `await tools.files.write({ path: "a", content: "b" });`,
  "drops in brackets behind a cast": `(await ${W}) as any;`,
  "drops behind a bang": `(await ${W})!;`,
  "assigns and never reads": `const r = await ${W}; return 1;`,
  "assigns with let and never reads": `let r; r = await ${W}; return 1;`,
  "assigns as any and never reads": `const r: any = await ${W};`,
  "keeps the promise and never waits": `const p = ${W}; return 1;`,
  "says void": `void ${W};`,
  "says void to the awaited": `void (await ${W});`,
  "reads only the value behind a cast": `const r = await ${W}; return (r as { value: { bytes: number } }).value.bytes;`,
  "reads only the value behind any": `const r = await ${W}; return (r as any).value;`,
  "tests that there is a result": `const r = await ${W}; if (r) return "written"; return "not";`,
  "tests with a bang": `const r = await ${W}; if (!r) return "not"; return "written";`,
  "looks at ok and drops that": `const r = await ${W}; r.ok;`,
  "drops all": `await Promise.all([${W}, ${D}]);`,
  "drops all of a map": `await Promise.all(["a"].map((path) => tools.files.delete({ path })));`,
  "drops all of an async map": `await Promise.all(["a"].map(async (path) => tools.files.delete({ path })));`,
  "assigns all and never reads": `const all = await Promise.all([${W}]);`,
  "counts all": `const all = await Promise.all([${W}, ${W}]); return all.length;`,
  "drops settled": `await Promise.allSettled([${W}]);`,
  "drops a race": `await Promise.race([${W}, ${W}]);`,
  "ignores in then": `await ${W}.then(() => console.log("written"));`,
  "names and ignores in then": `await ${W}.then((r) => { console.log("written"); });`,
  "only catches": `await ${W}.catch((e) => console.log(e));`,
  "only has a finally": `await ${W}.finally(() => console.log("over"));`,
  "tries and catches": `try { await ${W}; } catch (e) { console.log("failed"); }`,
  "takes one of two": `const [a] = await Promise.all([${W}, ${D}]); return a.ok;`,
  "skips the first of two": `const [, b] = await Promise.all([${W}, ${D}]); return b.ok;`,
  "names both and reads one": `const [a, b] = await Promise.all([${W}, ${D}]); return a.ok;`,
  "takes apart and reads nothing": `const { ok } = await ${W}; return 1;`,
  "drops in a loop": `for (const path of ["a", "b"]) await tools.files.delete({ path });`,
  "drops in a condition": `const sure = true; sure && (await ${W});`,
  "drops in a ternary": `const sure = true; sure ? await ${W} : await ${D};`,
  "drops in a list of expressions": `let n = 0; (await ${W}, n++); return n;`,
  "drops in a function": `async function save() { await ${W}; } await save();`,
  "drops what a function returns": `async function save() { return ${W}; } await save();`,
  "drops what a typed function returns": `async function save(): Promise<Result<unknown>> { return ${W}; } await save();`,
  "drops in an arrow": `const save = async () => { await ${W}; }; await save();`,
  "drops through another name": `const write = tools.files.file.write; await write({ path: "a", content: "" });`,
  "drops through a part of tools": `const { file } = tools.files; await file.delete({ path: "a" });`,
  "collects and never looks": `const all = []; for (const p of ["a"]) all.push(await tools.files.write({ path: p, content: "" })); return "done";`,
  "keeps under a name and never looks": `const out: Record<string, unknown> = {}; out["a"] = await ${W}; return 1;`,
  "keeps in an object and never looks": `const out = { r: await ${W} }; return 1;`,
  "overwrites before looking": `let r = await ${W}; r = await ${D}; return r.ok;`,
  "loops over results without looking": `let n = 0; for (const r of await Promise.all([${W}])) n++; return n;`,
  "drops in forEach": `["a"].forEach((path) => tools.files.delete({ path }));`,
  "drops in an update of a loop": `for (let i = 0; i < 2; i++, await ${W}) console.log(i);`,
  "hides behind a comment to the compiler": `// @ts-ignore\nawait ${W};`,
  "drops in a switch": `switch (1 as number) { case 1: await ${W}; break; default: }`,
  "asks whether there is an answer": `if (await ${W}) return 1;`,
  "goes on if there is an answer": `(await ${W}) && console.log("written");`,
  "asks whether there is none": `if (!(await ${W})) return 1; return 2;`,
  "pastes it into text": "const s = `${await " + W + "}`; return 1;",
  "returns true after trying": `async function f() { try { await ${W}; return true; } catch { return false; } } return f();`,
  "chains it to a promise": `Promise.resolve().then(() => ${W});`,
  "calls with question marks": `await tools.files?.write?.({ path: "a", content: "b" });`,
  "calls by a text": `await tools["files"]["file"]["delete"]({ path: "a" });`,
};

describe("results of calls that write", () => {
  test.each(Object.entries(HONEST))("a program that %s passes", (_what, source) => {
    expect(codesOf(source)).toEqual([]);
  });

  test.each(Object.entries(CARELESS))(
    "a program that %s is refused for the unread result",
    (_what, source) => {
      expect(codesOf(source).join("\n")).toMatch(/unhandled-result/);
    },
  );

  test("there are more than forty of each", () => {
    expect(Object.keys(HONEST).length).toBeGreaterThan(40);
    expect(Object.keys(CARELESS).length).toBeGreaterThan(40);
  });

  test("the value of a result that was not asked for ok is a type error, of reads too", () => {
    for (const call of [W, R]) {
      expect(codesOf(`const r = await ${call}; console.log(r); return r.value;`).join()).toMatch(
        /TS2339.*ok/,
      );
      expect(codesOf(`return (await ${call}).value!;`).join()).toMatch(/TS2339/);
    }
  });

  test.each([
    "sleep(10);",
    "async function later() { await sleep(1); }\nlater();\nconsole.log(1);",
    "[1, 2].map(async (n) => { await sleep(n); });",
    "[1, 2].forEach(async (n) => { await sleep(n); });",
    `${R}.then((r) => console.log(r));`,
  ])("a promise that nobody waits for is refused: %s", (source) => {
    expect(codesOf(source).join("\n")).toMatch(/not-awaited/);
  });
});
