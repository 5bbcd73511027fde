import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { exportSession } from "./sessions-export.ts";
import { TEST_NOW, testGateway, wireSession } from "./test-gateway.ts";
import { testIo, type TestIo } from "./test-io.ts";

const SESSION = wireSession({ sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2", title: "Tax letter" });

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { client, calls } = await testGateway({
    "sessions.list": () => ({ sessions: [SESSION] }),
    "sessions.export": ({ format }) => ({
      filename: format === "json" ? "s.json" : "s.md",
      mime: "text/plain",
      content: format === "json" ? "{}\n" : "# Tax\u001b letter\n",
    }),
  });
  const deps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  const run = (io: TestIo, more: { format?: string; output?: string; force?: boolean }) =>
    reporting(io, false, () => exportSession(io, deps, { session: "tax", force: false, ...more }));
  return { folder, run, calls };
}

test("export writes Markdown to stdout, byte for byte where a program reads it", async () => {
  const { run } = await setUp();
  for (const output of [undefined, "-"]) {
    const io = testIo();
    expect(await run(io, output ? { output } : {})).toBe(EXIT.ok);
    expect(io.out()).toBe("# Tax\u001b letter\n");
    expect(io.err()).toBe("");
  }
  const terminal = testIo({ tty: true });
  await run(terminal, {});
  expect(terminal.out()).toBe("# Tax letter\n");
});

test("export writes a file that only its owner can read, relative to where one stands", async () => {
  const { run, folder } = await setUp();
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "out.md" })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "out.md"), "utf8")).toContain("# Tax");
  expect(statSync(join(folder, "out.md")).mode & 0o777).toBe(0o600);
  expect(io.out()).toBe("");
  expect(io.err()).toBe(`Wrote ${join(folder, "out.md")}\n`);
});

test("export takes its format from the flag, else from the file's ending", async () => {
  const { run, folder, calls } = await setUp();
  const io = testIo({ cwd: folder });
  await run(io, { output: "a.json" });
  await run(io, { output: "b.json", format: "markdown" });
  await run(io, { format: "json" });
  const formats = calls.filter((call) => call.method === "sessions.export").map((call) => call.params);
  expect(formats).toEqual([
    expect.objectContaining({ format: "json" }),
    expect.objectContaining({ format: "markdown" }),
    expect.objectContaining({ format: "json" }),
  ]);
  expect(await run(io, { format: "pdf" })).toBe(EXIT.usage);
});

test("export leaves a file that is there alone, unless it is forced", async () => {
  const { run, folder } = await setUp();
  writeFileSync(join(folder, "out.md"), "mine");
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "out.md" })).toBe(EXIT.failed);
  expect(io.err()).toContain("add --force");
  expect(readFileSync(join(folder, "out.md"), "utf8")).toBe("mine");
  expect(await run(io, { output: "out.md", force: true })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "out.md"), "utf8")).toContain("# Tax");
});

test("export names the file itself where a folder is given", async () => {
  const { run, folder } = await setUp();
  mkdirSync(join(folder, "sub"));
  expect(await run(testIo({ cwd: folder }), { output: "sub" })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "sub", "s.md"), "utf8")).toContain("# Tax");
});

test("export writes through a link, and into a device instead of over it", async () => {
  const { run, folder } = await setUp();
  writeFileSync(join(folder, "real.md"), "old");
  symlinkSync("real.md", join(folder, "link.md"));
  symlinkSync("/dev/null", join(folder, "null"));
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "link.md", force: true })).toBe(EXIT.ok);
  expect(readFileSync(join(folder, "real.md"), "utf8")).toContain("# Tax");
  expect(await run(io, { output: "null", force: true })).toBe(EXIT.ok);
  expect(lstatSync(join(folder, "null")).isSymbolicLink()).toBe(true);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("export says what is wrong with a place that cannot be written", async () => {
  const { run, folder } = await setUp();
  const io = testIo({ cwd: folder });
  expect(await run(io, { output: "no/such/folder/out.md" })).toBe(EXIT.failed);
  expect(io.err()).toContain("Choose another file.");
});
