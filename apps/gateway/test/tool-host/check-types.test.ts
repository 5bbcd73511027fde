import { expect, test } from "vitest";
import { checkTypes } from "@elwood/isolation/tool-host/check-types";
import { scaffold } from "@elwood/isolation/tool-host/scaffold";
import { moduleOf } from "./test-scene.ts";
import { problemLine } from "@elwood/isolation/tool-host/module-problem";

const files = (sources: Record<string, string>, tests: Record<string, string> = {}) => ({
  name: "x",
  sources: new Map(Object.entries(sources)),
  tests: new Map(Object.entries(tests)),
  hash: "",
});

test("a new tool and its test have no mistakes", async () => {
  const [module, spec] = scaffold("x.word.count");
  expect(
    await checkTypes(files({ "word-count.ts": module!.text }, { "word-count.test.ts": spec!.text })),
  ).toEqual([]);
});

test("mistakes are told with their place, in helpers and tests too", async () => {
  const problems = await checkTypes(
    files(
      {
        "a.ts": moduleOf("x.a.do", "return input.txt + n(1) + ctx.secrets.TWO;", {
          top: 'import { n } from "./lib/n.ts"; import { createHash } from "node:crypto"; createHash("sha256");',
          options: 'secrets: ["ONE"],',
        }),
        "lib/n.ts": "export function n(text: string): string {\n  return text.lenght;\n}\n",
      },
      { "a.test.ts": "const x: string = 1;\nexport {};\n" },
    ),
  );
  expect(problems.map(problemLine)).toEqual([
    expect.stringMatching(/^tools\/x\/a\.test\.ts:1:7: Type 'number' is not assignable/),
    expect.stringMatching(/^tools\/x\/a\.ts:11:\d+: Property 'txt' does not exist/),
    expect.stringMatching(/^tools\/x\/a\.ts:11:\d+: Argument of type 'number'/),
    expect.stringMatching(/^tools\/x\/a\.ts:11:\d+: Property 'TWO' does not exist/),
    expect.stringMatching(/^tools\/x\/lib\/n\.ts:2:\d+: Property 'lenght' does not exist/),
  ]);
});

test("a data file is not read by the compiler, which would quote it", async () => {
  const source =
    'import data from "./secret.json" with { type: "json" };\nconst n: number = data.key;\nexport { n };\n';
  expect(await checkTypes(files({ "a.ts": source, "secret.json": '{"key": "s3cret"}' }))).toEqual([]);
});
