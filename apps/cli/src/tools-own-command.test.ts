import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EXIT } from "./io.ts";
import { runCli } from "./program.ts";
import { testIo } from "./test-io.ts";

function home() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-own-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    tools: join(folder, "workspace", "tools"),
    elwood: async (...argv: string[]) => {
      const io = testIo({ env: { ELWOOD_HOME: folder } });
      io.hangUp();
      const code = await runCli(argv, io);
      return { code, out: io.out(), err: io.err() };
    },
  };
}

test("OA-7: a new tool can be checked and tested as it is written, and its mistakes are told with their line", async () => {
  const { elwood, tools } = home();
  const made = await elwood("tools", "new", "demo.word.count");
  expect(made).toMatchObject({ code: EXIT.ok, err: "" });
  expect(made.out).toContain("elwood tools grant demo.word.count");
  const file = join(tools, "demo", "word-count.ts");
  expect(made.out.split("\n")[0]).toBe(file);

  expect(await elwood("tools", "check", "demo")).toEqual({
    code: EXIT.ok,
    out: "demo: demo.word.count\n",
    err: "",
  });
  const passed = await elwood("tools", "test", "demo");
  expect(passed.code).toBe(EXIT.ok);
  expect(passed.out).toMatch(/counts the words of a text[^]*pass 2/);

  writeFileSync(file, readFileSync(file, "utf8").replace("text.split", "text.splitt"));
  const wrong = await elwood("tools", "check");
  expect(wrong.code).toBe(EXIT.failed);
  expect(wrong.out).toMatch(/^! tools\/demo\/word-count\.ts:19:\d+: Property 'splitt' does not exist/);
  const failed = await elwood("tools", "test", "demo");
  expect(failed.code).toBe(EXIT.failed);
  expect(failed.out).toContain("tools/demo/word-count.ts:19");

  writeFileSync(file, "export default ;");
  const broken = await elwood("tools", "check", "demo", "--json");
  expect(broken.code).toBe(EXIT.failed);
  expect(JSON.parse(broken.out)).toEqual({
    integrations: [
      {
        integration: "demo",
        tools: [],
        problems: expect.arrayContaining([expect.stringMatching(/^tools\/demo\/word-count\.ts:1/)]),
      },
    ],
  });
});

test("what cannot be begun, checked or tested is told with what to do", async () => {
  const { elwood, tools } = home();
  expect((await elwood("tools", "check")).out).toBe(
    `There are no tools in ${tools}. Begin one: elwood tools new <integration>.<resource>.<action>\n`,
  );
  const reserved = await elwood("tools", "new", "files.x.y");
  expect(reserved.code).not.toBe(EXIT.ok);
  expect(reserved.err).toContain("the name files is kept for Elwood's own tools");
  expect((await elwood("tools", "new", "a b")).err).toContain("letters and digits");
  await elwood("tools", "new", "demo.word.count");
  expect((await elwood("tools", "new", "demo.word.count")).err).toContain(
    "is there already and was left alone",
  );
  expect((await elwood("tools", "test", "nothing")).err).toContain(
    `tools/nothing: there is no folder ${join(tools, "nothing")}.`,
  );
  rmSync(join(tools, "demo", "word-count.test.ts"));
  expect((await elwood("tools", "test", "demo")).err).toContain("files that end in .test.ts");
});
