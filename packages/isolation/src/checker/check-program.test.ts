import { array, assert, constantFrom, property } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { declarationsFor } from "@elwood/runtime/programs/declarations";
import { checkProgram } from "./check-program.ts";
import { commandCompiler, warmCompiler, type Compiler } from "./compiler.ts";
import { contract, DECLARATIONS, manyContracts, object, sha256 } from "./test-programs.ts";

let compiler: Compiler;
beforeAll(async () => {
  compiler = await warmCompiler();
});
afterAll(() => compiler.close());

const request = (source: string, declarations = DECLARATIONS) => ({
  source,
  declarations: declarations.check.text,
  tools: declarations.tools,
});

const text = { type: "string" };
const number = { type: "number" };
const FILE_DECLARATIONS = declarationsFor(
  [
    contract(
      "files.file.read",
      "read",
      object({ path: text, offset: number, limit: number }, ["offset", "limit"]),
      object({ path: text, text, nextOffset: number }, ["text", "nextOffset"]),
    ),
    contract(
      "files.file.list",
      "read",
      object({ path: text }),
      object({
        entries: { type: "array", items: object({ path: text, kind: text, bytes: number }, ["bytes"]) },
      }),
    ),
    contract("files.file.move", "write", object({ from: text, to: text }), object({ to: text })),
  ],
  sha256,
);

/** As a model wrote them for an owner, before anybody told it about types. */
const FIRST_PROGRAMS = [
  // Sums of a table.
  `const file = must(await tools.files.file.read({ path: "data/expenses.csv", limit: 100000 }));
const rows = file.text.trim().split("\\n").slice(1).map(l => l.split(","));
const byCat = {};
for (const r of rows) (byCat[r[1]] ??= []).push(Number(r[2]));
return Object.entries(byCat).map(([cat, a]) => ({ cat, sum: a.reduce((s, x) => s + x, 0) }));`,
  // Renaming by date.
  `const listing = must(await tools.files.file.list({ path: "photos" }));
const files = listing.entries.filter(e => e.kind === "file").map(e => e.path.split("/").pop())
  .filter(n => /^IMG_\\d{8}_\\d+\\.jpg$/.test(n)).sort();
const failed: string[] = [];
for (const name of files) {
  const m = name.match(/^IMG_(\\d{4})(\\d{2})(\\d{2})_/);
  const r = await tools.files.file.move({ from: \`photos/\${name}\`, to: \`photos/\${m[1]}-\${m[2]}.jpg\` });
  if (!r.ok) failed.push(r.error.message);
}
return failed;`,
  // A log, page by page.
  `const rows: { level: string; ms: number }[] = [];
let offset: number | undefined = 1;
while (offset) {
  const chunk = must(await tools.files.file.read({ path: "data/server.log", offset, limit: 5000 }));
  for (const line of (chunk.text ?? "").split("\\n")) {
    const m = line.match(/ (INFO|WARN|ERROR) .* took (\\d+) ms/);
    if (m) rows.push({ level: m[1], ms: Number(m[2]) });
  }
  offset = chunk.nextOffset;
}
const byLevel = Object.groupBy(rows, r => r.level);
return Object.fromEntries(Object.entries(byLevel).map(([k, v]) => [k, v.length]));`,
  // Words of each note, by the names that tools have outside of programs.
  `const list = await tools.files__file__list({ path: "notes" });
if (!list.ok) return { error: list.error };
const out = {};
for (const e of list.value.entries) {
  const f = await tools.files.read({ path: "notes/" + e.path });
  if (f.ok) out[e.path] = f.value.text.split(/\\s+/).length;
}
return out;`,
  // A file into a path that may not be there.
  `const first = must(await tools.files.file.list({ path: "." })).entries.find(e => e.kind === "file");
return must(await tools.files.file.read({ path: first?.path })).text?.length;`,
];

function problemsOf(source: string, declarations = DECLARATIONS) {
  const answer = checkProgram(request(source, declarations), compiler);
  return answer.ok ? [] : answer.problems;
}

function javascriptOf(source: string): string {
  const answer = checkProgram(request(source), compiler);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.javascript;
}

describe("what the model is told of its mistakes", () => {
  test("a wrong argument is told with line, column, the line itself and the tool's signature", () => {
    const source = `const a = 1;\nconst r = await tools.files.file.read({ pth: "x" });\nreturn r;`;
    expect(problemsOf(source)).toEqual([
      {
        line: 2,
        column: 41,
        code: "TS2561",
        message: expect.stringContaining("'pth' does not exist"),
        sourceLine: `const r = await tools.files.file.read({ pth: "x" });`,
        declaration: expect.stringContaining(
          "read(input: { path: string }): Promise<ReadResult<{ text: string }>>",
        ),
      },
    ]);
  });

  test("a misspelt tool is told with what was probably meant", () => {
    expect(problemsOf(`return await tools.files.fil.raed({ path: "a" });`)[0]?.message).toBe(
      "There is no tools.files.fil.raed. Did you mean tools.files.file.read?",
    );
    expect(problemsOf(`return await tools.githb.issue.list({ repo: "a" });`)[0]?.message).toContain(
      "Did you mean tools.github.issue.list",
    );
    expect(problemsOf(`return await tools.files.comment.create({});`)[0]?.message).toContain(
      "tools.github.comment.create",
    );
  });

  test("a value used without asking is explained, with the signature of the call it came from", () => {
    const [problem] = problemsOf(
      `const r = await tools.files.file.list({ path: "." });\nreturn r.value.entries;`,
    );
    expect(problem).toMatchObject({ line: 2, column: 10, code: "TS2339" });
    expect(problem?.message).toContain("`ok`");
    expect(problem?.declaration).toContain("// tools.files.file.list");
  });

  test("a promise used as its result is told to be awaited", () => {
    const [problem] = problemsOf(`const r = tools.files.file.list({ path: "." });\nreturn must(r);`);
    expect(problem?.message).toContain("await");
  });

  test.each([
    ["fetch('https://example.org')", "tool"],
    ["setTimeout(() => 1, 5)", "sleep"],
    ["require('fs')", "modules"],
    ["process.exit(1)", "process"],
    ["Buffer.from('a')", "TextEncoder"],
    ["document.title", "page"],
  ])("what only exists elsewhere is not found, with what to use: %s", (code, advice) => {
    expect(problemsOf(`const x = ${code};\nreturn x;`)[0]?.message).toContain(advice);
  });

  test.each([
    "new Intl.NumberFormat('de').format(1)",
    "new WeakRef({})",
    "eval('1')",
    "new Function('return 1')()",
    "import('fs')",
    "import.meta.url",
  ])("what the sandbox lacks is found before anything runs: %s", (code) => {
    const codes = problemsOf(`const x = ${code};\nreturn x;`).map((each) => each.code);
    expect(codes.some((each) => /absent-global|module-syntax|TS2304|TS2583|TS1343|TS2552/.test(each))).toBe(
      true,
    );
  });

  test("dates and numbers may be written for a locale, with all options; for Intl it is told what to write instead", () => {
    expect(
      problemsOf(
        `const d = new Date();
         return [now.local, now.weekday, now.timeZone, d.toLocaleDateString("de-DE", { dateStyle: "long" }), d.toLocaleTimeString("de-DE", { timeStyle: "short", timeZone: now.timeZone }),
           (5).toLocaleString("de-DE", { style: "unit", unit: "liter", notation: "compact" }), "a".localeCompare("b", "de", { sensitivity: "base" })];`,
      ),
    ).toEqual([]);
    const [problem] = problemsOf(`return new Intl.DateTimeFormat("de-DE").format(new Date());`);
    expect(problem?.message).toContain("date.toLocaleDateString(");
  });

  test("tools without types are refused, and orders to the compiler to look away do nothing", () => {
    expect(problemsOf(`const t = tools as any;\nreturn await t.files.nope();`)[0]?.code).toBe(
      "untyped-tools",
    );
    expect(problemsOf(`// @ts-nocheck\n// @ts-ignore\nreturn await tools.nope();`)[0]).toMatchObject({
      line: 3,
    });
  });

  test("programs that a strong model wrote at first sight are not held up over what may be null or unknown", () => {
    for (const source of FIRST_PROGRAMS) expect(problemsOf(source, FILE_DECLARATIONS)).toEqual([]);
  });

  test("what an empty list or object will hold is not guessed", () => {
    for (const source of [
      `const counts = [];
for (const word of ["a", "b"]) counts.push([word, word.length]);
counts.sort((a, b) => b[1] - a[1]);
return counts.reduce((sum, [, n]) => sum + n, 0);`,
      `const report = { done: [], failed: [] };
report.done.push("a");
report.failed.push({ path: "b", why: "c" });
return report;`,
      `const seen = {};
seen.first = must(await tools.files.file.read({ path: "a" })).text;
return seen.first.length;`,
      `const at = must(await tools.files.file.list({ path: "." })).entries.map((e) => new Date(e.bytes));
return at;`,
    ])
      expect(problemsOf(source, FILE_DECLARATIONS)).toEqual([]);
  });

  test("an empty list hides no mistake that matters", () => {
    const list = `const rows = [];\nrows.push([1, "a"]);\nrows.sort((a, b) => a[0] - b[0]);\n`;
    for (const [source, code] of [
      [
        `const kept = [];\nkept.push(await tools.files.file.move({ from: "a", to: "b" }));\nreturn rows;`,
        "unhandled-result",
      ],
      [`await tools.files.file.move({ from: "a", to: "b" });\nreturn rows;`, "unhandled-result"],
      [`tools.files.file.read({ path: "a" });\nreturn rows;`, "not-awaited"],
      [`return must(await tools.files.file.read({ pth: rows }));`, "TS2561"],
      [`return must(await tools.files.fil.read({ path: "a" }));`, "TS2551"],
      [`return must(await tools.files.file.read({}));`, "TS2741"],
    ] as const)
      expect(problemsOf(list + source, FILE_DECLARATIONS).map((each) => each.code)).toContain(code);
  });

  test("what matters is still told: tools, arguments and names that are not there, results of writes, promises", () => {
    for (const source of [
      `return must(await tools.files.file.read({ pth: "a" }));`,
      `return must(await tools.files.file.read({}));`,
      `return must(await tools.files.file.read({ path: "a" })).content;`,
      `return must(await tools.files.file.list({ path: "a" })).entries.map((e) => e.name);`,
      `return must(await tools.files.file.read({ path: 3 }));`,
      `const m = "a".match(/a/);\nawait tools.files.file.move({ from: m[0], to: "b" });`,
      `tools.files.file.move({ from: "a", to: "b" });`,
      `return await tools.files__file__raed({ path: "a" });`,
    ])
      expect(problemsOf(source, FILE_DECLARATIONS), source).not.toEqual([]);
  });

  test("names of the checker's own are taken", () => {
    expect(problemsOf("const __elwoodUnread = 1;")[0]?.code).toBe("reserved-name");
  });

  test("many problems are told in part, with the number of the rest", () => {
    const source = Array.from({ length: 30 }, (_, i) => `const n${i}: number = "${i}";`).join("\n");
    const answer = checkProgram(request(source), compiler);
    expect(answer).toMatchObject({ ok: false, omitted: 22 });
    expect(answer.ok ? [] : answer.problems).toHaveLength(8);
  });

  test("a message never grows beyond its cap", () => {
    const source = `const x: number = "${"y".repeat(50_000)}";`;
    expect(JSON.stringify(problemsOf(source)).length).toBeLessThan(2_000);
  });
});

describe("lines and columns", () => {
  test.each([
    ["line feeds", "\n"],
    ["carriage returns and line feeds", "\r\n"],
  ])("are the model's own with %s, after text of any script", (_what, end) => {
    const source = [
      "// 日本語 😀 é",
      "const s: '😀日' = '😀日';",
      "/* ü */ const n: number = s;",
      "return n;",
    ].join(end);
    expect(problemsOf(source)).toMatchObject([
      { line: 3, column: 15, sourceLine: "/* ü */ const n: number = s;" },
    ]);
  });

  test("stay the same when types are stripped", () => {
    const source = `interface A {\r\n  x: "é😀";\r\n}\r\nconst f = <T,>(x: T): T => x;\r\nreturn f<number>(1) as number;`;
    const javascript = javascriptOf(source);
    expect(javascript).toHaveLength(source.length);
    expect(javascript.split("\r\n")).toHaveLength(5);
    expect(javascript.indexOf("(1)")).toBe(source.indexOf("(1)"));
    expect(javascript).not.toMatch(/interface|<|\bas\b/);
  });

  test("a semicolon inside of a type ends no line", () => {
    const javascript = javascriptOf(
      'const seen = new Map<string, { n: number; first: string }>();\ntype Odd = "{";\n(seen).clear();\nreturn seen.size;',
    );
    expect(javascript.replaceAll(/ +/g, " ")).toContain("new Map ();");
    expect(javascript).toMatch(/;\s*;\s*\(seen\)/);
  });

  test("a type between two lines does not let them grow together", () => {
    const javascript = javascriptOf("let a = 1\ntype C = 1\n;[a].toString()\nreturn a;");
    expect(javascript).toMatch(/1\s+;\[a\]/);
  });
});

describe("forms in which programs come", () => {
  test("the body of an async function, with await and return, is what is asked for", () => {
    expect(javascriptOf("const a: number = 1;\nawait sleep(a);\nreturn a;")).toContain("return a;");
  });

  test.each([
    ["a default export", "export default async function main() { return 1; }"],
    ["a default export without a name", "export default async function () { return 1; }"],
    ["a default export of an arrow", "export default async () => { return 1; };"],
    ["an exported main", "export async function main() { return 1; }"],
    ["a main that is exported below", "async function main() { return 1; }\nexport default main;"],
    ["a main that nobody calls", "async function main() { return 1; }"],
    ["a main in a constant", "const main = async () => 1;"],
    [
      "one function with types, of another name",
      "type A = 1;\nasync function collect(): Promise<A> { return 1; }",
    ],
    ["a main that is called and not awaited", "async function main() { return 1; }\nmain();"],
    [
      "a main with a catch",
      "async function main() { return 1; }\nmain().catch((e) => { console.error(e); return 1; });",
    ],
    ["a main that is called above its text", "main();\nasync function main() { return 1; }"],
    ["a function called on the spot", "(async () => { return 1; })();"],
    ["a block of Markdown", "```ts\nreturn 1;\n```"],
    [
      "a block of Markdown in a talk",
      "Here is the program:\n\n```typescript\nreturn 1;\n```\n\nIt returns one.",
    ],
    ["a main in a block of Markdown", "```js\nasync function main() { return 1; }\nmain();\n```"],
  ])("%s runs as it was meant", async (_what, source) => {
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    expect(await new AsyncFunction("console", javascriptOf(source))(console)).toBe(1);
  });

  test("lines within a block of Markdown count from the top of what was handed in", () => {
    expect(problemsOf("Here:\n```ts\nconst a = 1;\nconst b: string = a;\n```")).toMatchObject([
      { line: 4, column: 7 },
    ]);
  });

  test.each([
    'import fs from "node:fs";\nreturn 1;',
    'import { x } from "y";\nreturn x;',
    'export * from "x";',
  ])("modules are answered with what to do instead: %s", (source) => {
    expect(problemsOf(source)).toMatchObject([{ line: 1, code: "module-syntax" }]);
    expect(problemsOf(source)[0]?.message).toContain("simply there");
  });

  test.each([
    [
      "a tool call as JSON",
      '{"name": "files__file__read", "arguments": {"path": "a"}}',
      "await tools.files.file.read(",
    ],
    [
      "a call by its old name",
      '{"tool": "read_file", "input": {"path": "a"}}',
      "await tools.files.file.read(",
    ],
    ["other JSON", '{"answer": 42}', "JSON"],
    ["shell", "ls -la\ncat notes.txt | grep todo", "shell"],
    ["shell in a block", "```bash\necho hi\n```", "shell"],
    ["Python", "import os\n\ndef main():\n    print('hi')\n\nmain()", "Python"],
    ["Python in a block", "```python\nx = 1\n```", "Python"],
    ["plain language", "Please read the file notes.txt and tell me what it says.", "text"],
    ["nothing", "   \n", "no code"],
  ])("%s is recognised", (_what, source, says) => {
    if (says === "no code") return expect(javascriptOf(source)).toBe(source);
    const problems = problemsOf(source);
    expect(problems).toMatchObject([{ code: "not-a-program" }]);
    return expect(problems[0]?.message).toContain(says);
  });

  test.each([
    "}{",
    "const = ;",
    "return (1;",
    "if (",
    "`${",
    "\u0000\u0001",
    "<<<<<<< HEAD",
    "async function () {",
    "} return 1; {",
    "let a = /(/;",
  ])("garbage is refused with a place: %j", (source) => {
    const [problem] = problemsOf(source);
    expect(problem?.code).toMatch(/^TS1\d\d\d$|^syntax$/);
    expect(problem?.line).toBe(1);
  });

  test.each([
    "enum A { x }\nreturn A.x;",
    "class A { constructor(private x: number) {} }\nreturn new A(1);",
    "namespace N { export const a = 1; }\nreturn N.a;",
  ])("TypeScript that is more than types is refused: %s", (source) => {
    expect(problemsOf(source)[0]).toMatchObject({ line: 1 });
  });
});

describe("hard cases for the compiler", () => {
  test("types that recurse without end are ended by the compiler", () => {
    const bomb = `type Deep<N extends 0[]> = N["length"] extends 999999 ? N : Deep<[...N, 0]>;\nconst x: Deep<[]> = 1;\nreturn x;`;
    expect(problemsOf(bomb).length).toBeGreaterThan(0);
  });

  test("a hundred tools are checked like eight", () => {
    const declarations = declarationsFor(manyContracts(100), sha256);
    expect(
      problemsOf(`const r = await tools.service0.label.create({ id: 5 });\nreturn r.ok;`, declarations),
    ).toMatchObject([
      { code: "TS2322", declaration: expect.stringContaining("// tools.service0.label.create") },
    ]);
    expect(
      problemsOf(`const r = await tools.service0.label.create({ id: "5" });\nreturn r.ok;`, declarations),
    ).toEqual([]);
  });

  test("five hundred tools are checked in full although the prompt holds their names only", () => {
    const declarations = declarationsFor(manyContracts(500), sha256);
    expect(declarations.mode).toBe("index");
    expect(problemsOf(`return await tools.service4.order.get({ id: 5 });`, declarations)).toHaveLength(1);
    expect(
      problemsOf(
        `const hits = must(await tools.search({ query: "order" }));\nreturn hits.tools[0].id;`,
        declarations,
      ),
    ).toEqual([]);
  });

  test("recursive schemas and names that are no identifiers can be used", () => {
    const node = {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
      required: ["name"],
    };
    const tools = [
      contract(
        "my-svc.tree.put-all",
        "write",
        { ...object({ root: { $ref: "#/$defs/Node" } }), $defs: { Node: node } },
        object({ "a b": { type: "number" } }),
      ),
    ];
    const declarations = declarationsFor(tools, sha256);
    const call = (input: string) =>
      `const r = await tools["my-svc"].tree["put-all"](${input});\nreturn r.ok && r.value["a b"];`;
    expect(
      problemsOf(call(`{ root: { name: "a", children: [{ name: "b", children: [] }] } }`), declarations),
    ).toEqual([]);
    expect(problemsOf(call(`{ root: { name: "a", children: [{ name: 1 }] } }`), declarations)).toHaveLength(
      1,
    );
  });

  test("whatever pieces of programs are put together, there is an answer, and its places lie in the source", () => {
    const piece = constantFrom(
      ..."await|tools.files.file.delete|({ path: 'a' })|const r =|;|\n|{|}|(|)|=>|async|function f|return|if|else|for (const x of|[1, 2]|.then|: number| as any|!|?.ok|`${|`|```|import|export default|'|😀|/*|*/|//|@ts-ignore".split(
        "|",
      ),
    );
    assert(
      property(array(piece, { maxLength: 25 }), (pieces) => {
        const source = pieces.join(" ");
        const lines = source.split("\n");
        for (const { line, column } of problemsOf(source)) {
          expect(line).toBeLessThanOrEqual(lines.length);
          if (line > 0) expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("the compiler started anew finds the same as the warm one, at the same places", async () => {
    const command = await commandCompiler(20_000);
    for (const source of [
      `// 😀\r\nconst s = "😀"; const n: number = s;\r\nawait tools.files.file.write({ path: "a", content: s });\r\nreturn (await tools.files.file.read({ path: "a" })).value;`,
      "let x: = 3;",
      "return must(await tools.files.file.read({ path: 'a' }));",
    ]) {
      expect(checkProgram(request(source), command)).toEqual(checkProgram(request(source), compiler));
    }
  });
});
