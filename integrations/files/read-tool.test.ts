import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import { paragraph, wordOf, workbookOf } from "@elwood/testkit/office";
import { pdfOf } from "@elwood/testkit/pdf";
import { describe, expect, test } from "vitest";
import { makeScene } from "./test-scene.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describe("files.file.read", () => {
  test("EL-9: read_file reads within its scope, by relative, absolute and home paths", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "hello\n");
    const tools = scene.tools();
    for (const path of [
      "a.txt",
      "./x/../a.txt",
      scene.path("a.txt"),
      "~/work/a.txt",
      `${scene.root}//a.txt`,
    ]) {
      expect((await tools.run("read", { path })).text, path).toBe("hello\n");
    }
  });

  test("says where a file of this name lies in another folder, where there is none in the first", async () => {
    using scene = makeScene();
    const other = join(scene.home, "other");
    mkdirSync(other);
    writeFileSync(join(other, "todo.md"), "water\n");
    const roots = [
      { path: scene.root, write: true },
      { path: other, write: true },
    ];
    const tools = scene.tools({ roots });
    const missing = `${scene.path("todo.md")} does not exist.`;
    const there = `${missing} There is one at ${join(other, "todo.md")}.`;
    await expect(tools.run("read", { path: "todo.md" })).rejects.toThrow(there);
    await expect(tools.preview("edit", { path: "todo.md", oldText: "a", newText: "b" })).rejects.toThrow(
      there,
    );
    await expect(tools.run("read", { path: scene.path("todo.md") })).rejects.toThrow(/not exist\.$/u);
    await expect(tools.run("read", { path: "nothing.md" })).rejects.toThrow(/not exist\.$/u);
  });

  test("gives lines as they are, with their ends, and says where to go on", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "one\r\ntwo\nthree");
    const tools = scene.tools();
    const part = await tools.run("read", { path: "a.txt", offset: 1, limit: 2 });
    expect(part.value).toMatchObject({ text: "one\r\ntwo\n", fromLine: 1, toLine: 2, nextOffset: 3 });
    expect(part.truncated).toBe(true);
    const rest = await tools.run("read", { path: "a.txt", offset: 3 });
    expect(rest.value).toEqual({
      path: scene.path("a.txt"),
      kind: "text",
      bytes: 14,
      text: "three",
      fromLine: 3,
      toLine: 3,
    });
    expect((await tools.run("read", { path: "a.txt", offset: 9 })).text).toBe(
      `[No line 9 in ${scene.path("a.txt")}.]`,
    );
  });

  test("says that an empty file is empty and that a missing one is missing", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("empty"), "");
    const tools = scene.tools();
    expect((await tools.run("read", { path: "empty" })).text).toBe(`[${scene.path("empty")} is empty.]`);
    await expect(tools.run("read", { path: "none" })).rejects.toMatchObject({ code: "not-found" });
    await expect(tools.run("read", { path: "none/at/all" })).rejects.toMatchObject({ code: "not-found" });
    expect(await tools.facts("read", { path: "none/at/all" })).toEqual([]);
  });

  test("names the folder of a file whose name alone was given", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("notes/old"), { recursive: true });
    writeFileSync(scene.path("notes/2026-01-house.md"), "x");
    writeFileSync(scene.path("2026-01-hause.md"), "x");
    const tools = scene.tools();
    const read = (path: string) => tools.run("read", { path });
    expect((await read("2026-01-House.md")).text).toBe("[This is notes/2026-01-house.md.]\nx");
    writeFileSync(scene.path("notes/old/2026-01-house.md"), "x");
    await expect(read("2026-01-house.md")).rejects.toThrow(
      "There is notes/2026-01-house.md and notes/old/2026-01-house.md.",
    );
    await expect(read("other/2026-01-house.md")).rejects.not.toThrow("There is notes/");
  });

  test("reads all files of a folder, or those that a glob names, in one answer", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("notes/old"), { recursive: true });
    for (const [name, text] of Object.entries({
      "a.md": "one\n",
      "b.md": "two",
      "c.txt": "three",
      "old/d.md": "four",
    }))
      writeFileSync(scene.path("notes", name), text);
    writeFileSync(scene.path("notes/.env"), "KEY=1");
    writeFileSync(scene.path("notes/id_rsa"), "-----BEGIN");
    const tools = scene.tools();
    const read = (path: string) => tools.run("read", { path });
    const all = await read("notes");
    expect(all.text).toBe(
      "== notes/a.md (4 bytes)\none\n\n== notes/b.md (3 bytes)\ntwo\n\n== notes/c.txt (5 bytes)\nthree\n\n[1 file left out: keys, links or too many.]",
    );
    expect(all.value).toMatchObject({
      kind: "files",
      files: [{ path: "notes/a.md", text: "one\n" }, {}, {}],
    });
    expect((await read("notes/*.md")).text).toBe(
      "== notes/a.md (4 bytes)\none\n\n== notes/b.md (3 bytes)\ntwo",
    );
    expect((await read("**/d.md")).text).toBe("== notes/old/d.md (4 bytes)\nfour");
    expect((await read("notes/*.pdf")).text).toBe(`[${scene.path("notes")}/*.pdf: no files to read.]`);
    writeFileSync(scene.path("notes/what[1].md"), "itself");
    expect((await read("notes/what[1].md")).text).toBe("itself");
    await expect(read("../outside/*")).rejects.toMatchObject({ code: "hard.outside-scope" });
  });

  test("of a long text it says the lines first, where no cut takes it away", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("log"), `${"x".repeat(99)}\n`.repeat(200));
    const tools = scene.tools();
    const first = async (input: object) => (await tools.run("read", input)).text?.split("\n")[0];
    expect(await first({ path: "log" })).toBe(`[Lines 1–200 of 200 in ${scene.path("log")}.]`);
    expect(await first({ path: "log", limit: 150 })).toBe(`[Lines 1–150 of 200 in ${scene.path("log")}.]`);
    expect(await first({ path: "log", limit: 5 })).toBe("x".repeat(99));
  });

  test("of more files than fit reads as much as does, and names the others", async () => {
    using scene = makeScene();
    for (const name of ["a", "b", "c"])
      writeFileSync(scene.path(`${name}.txt`), `${name.repeat(99)}\n`.repeat(250));
    const { text = "", truncated } = await scene.tools().run("read", { path: "*.txt" });
    expect(truncated).toBe(true);
    expect(text.length).toBeLessThan(42_000);
    expect(text).toContain("== b.txt (24.4 KB)");
    expect(text).toContain("[Read on with offset 151.]");
    expect(text).toContain("[No room for 1 more: c.txt.]");
  });

  test("names what is called nearly the same beside a file that is missing, and nothing else", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("notes"));
    for (const name of ["shopping-list.md", "taxes.md", "[shopping.md", ".env"])
      writeFileSync(scene.path("notes", name), "x");
    const tools = scene.tools();
    const missing = scene.path("notes", "shopping.md");
    await expect(tools.run("read", { path: "notes/shopping.md" })).rejects.toThrow(
      `${missing} does not exist. There is notes/shopping-list.md.`,
    );
    await expect(tools.run("list", { path: "note" })).rejects.toThrow("There is notes.");
    await expect(tools.run("read", { path: "notes/zebra.md" })).rejects.toThrow(
      /zebra\.md does not exist\.$/,
    );
    await expect(tools.run("read", { path: "none/shopping.md" })).rejects.toThrow(/does not exist\.$/);
  });

  test("says which lines of how many were read", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("log"), "a line\n".repeat(50));
    writeFileSync(scene.path("open"), "one\ntwo\nthree");
    const tools = scene.tools();
    expect((await tools.run("read", { path: "log", offset: 3, limit: 2 })).text).toBe(
      "a line\na line\n\n[Lines 3–4 of 50. Read on with offset 5.]",
    );
    expect((await tools.run("read", { path: "open", limit: 1 })).text).toMatch(/Lines 1–1 of 3\./);
    const small = scene.tools({ limits: { fileBytesMax: 100 } });
    expect((await small.run("read", { path: "log", limit: 2 })).text).toMatch(/Lines 1–2 of 350 bytes\./);
  });

  test("reads the beginning of a huge file without reading all of it", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("huge.log"), "first line\nsecond line\n");
    const fd = openSync(scene.path("huge.log"), "r+");
    ftruncateSync(fd, 64 * 1024 ** 3);
    closeSync(fd);
    const tools = scene.tools();
    await expect(tools.run("read", { path: "huge.log", limit: 2 })).rejects.toThrow("65536.0 MB");
    writeFileSync(scene.path("long.log"), "0123456789\n".repeat(200_000));
    const part = await tools.run("read", { path: "long.log", offset: 150_000 });
    expect(part.value).toMatchObject({ fromLine: 150_000, toLine: 151_999, nextOffset: 152_000 });
    const small = scene.tools({ limits: { searchBytesMax: 100_000 } });
    await expect(small.run("read", { path: "long.log", offset: 150_000 })).rejects.toMatchObject({
      code: "too-large",
    });
  });

  test("keeps an answer within its size: whole lines, and one endless line cut", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("lines"), `${"x".repeat(39)}\n`.repeat(10));
    writeFileSync(scene.path("endless"), `${"y".repeat(500)}\nafter\n`);
    const tools = scene.tools({ limits: { answerCharsMax: 100 } });
    expect((await tools.run("read", { path: "lines" })).value).toMatchObject({ toLine: 2, nextOffset: 3 });
    const cut = await tools.run("read", { path: "endless" });
    expect(cut.value).toMatchObject({
      text: `${"y".repeat(100)}\n[line 1 is longer than this and was cut]\n`,
      nextOffset: 2,
    });
    expect((await tools.run("read", { path: "endless", offset: 2 })).value).toMatchObject({
      text: "after\n",
    });
  });

  test("keeps a character whole that lies across two pieces", async () => {
    using scene = makeScene();
    const text = `${"a".repeat(64 * 1024 - 2)}🧾${"é".repeat(8 * 1024)}\n`;
    writeFileSync(scene.path("a.txt"), text);
    const tools = scene.tools();
    expect((await tools.run("read", { path: "a.txt" })).value).toMatchObject({ kind: "text", text });
    const short = `${"a".repeat(8 * 1024 - 1)}é`;
    writeFileSync(scene.path("b.txt"), short);
    expect((await tools.run("read", { path: "b.txt" })).value).toMatchObject({ kind: "text", text: short });
  });

  test("hands out a picture as one, and a file that gives nothing to read is not read", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.zip"), Buffer.from("PK\u0003\u0004\0binary"));
    writeFileSync(scene.path("latin.txt"), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x0a, 0x0a, 0x0a]));
    writeFileSync(scene.path("a.bin"), Buffer.from("\0\u0001\u0002 binary"));
    writeFileSync(scene.path("photo.txt"), PNG);
    writeFileSync(scene.path("large.png"), Buffer.concat([PNG, Buffer.alloc(200)]));
    const tools = scene.tools({ limits: { imageBytesMax: 100 } });
    for (const [name, code, words] of [
      ["a.bin", "wrong-kind", "it is neither UTF-8 text"],
      ["a.zip", "unreadable", "it is damaged"],
    ] as const) {
      const failed = tools.run("read", { path: name });
      await expect(failed).rejects.toMatchObject({ name: "ToolError", code });
      await expect(failed).rejects.toThrow(`${scene.path(name)} was not read: ${words}`);
    }
    expect((await tools.run("read", { path: "latin.txt" })).value).toMatchObject({ text: "café\n\n\n\n" });
    const photo = await tools.run("read", { path: "photo.txt" });
    expect(photo.value).toMatchObject({ kind: "image", mimeType: "image/png" });
    expect(photo.attachments).toEqual([
      { type: "image", mimeType: "image/png", data: PNG.toString("base64"), name: "photo.txt" },
    ]);
    await expect(tools.run("read", { path: "large.png" })).rejects.toMatchObject({ code: "too-large" });
  });

  test("reads a PDF as text, by lines, whatever its name", async () => {
    using scene = makeScene();
    const pages = ["Invoice 7\nTotal 12 EUR", "", "Pay by Friday"];
    writeFileSync(scene.path("invoice"), pdfOf(pages));
    const tools = scene.tools();
    const whole = await tools.run("read", { path: "invoice" });
    expect(whole.value).toMatchObject({
      kind: "pdf",
      pages: 3,
      text: "[Page 1]\nInvoice 7\nTotal 12 EUR\n\n[Page 3]\nPay by Friday",
      fromLine: 1,
      toLine: 6,
    });
    expect(whole.text).toContain("Total 12 EUR");
    expect(whole.text).toContain("[1 of its 3 pages hold no text; they may be scanned pictures.]");
    const part = await tools.run("read", { path: "invoice", offset: 3, limit: 1 });
    expect(part.value).toMatchObject({ text: "Total 12 EUR\n", nextOffset: 4 });
    expect((await tools.run("read", { path: "invoice", offset: 9 })).text).toContain(
      "[No line 9 in the text",
    );
    const short = await scene
      .tools({ documents: directDocuments({ pdfPagesMax: 1 }) })
      .run("read", { path: "invoice" });
    expect(short.text).toContain(
      "[The PDF has 3 pages, more than Elwood reads of one. The rest was not read.]",
    );
    expect(short.truncated).toBe(true);
  });

  test("reads other documents as text too, and says what they are", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("report.docx"), wordOf(paragraph("Hello", "Heading1") + paragraph("World")));
    writeFileSync(
      scene.path("sums.xlsm"),
      workbookOf({ Sums: "<row><c><v>1</v></c><c><v>2</v></c></row>" }, { "xl/vbaProject.bin": "x" }),
    );
    const tools = scene.tools();
    const word = await tools.run("read", { path: "report.docx" });
    expect(word.value).toMatchObject({ kind: "word", text: "# Hello\n\nWorld" });
    expect(word.text).toContain("report.docx, a Word document.]");
    const sheet = await tools.run("read", { path: "sums.xlsm" });
    expect(sheet.value).toMatchObject({ kind: "sheets", pages: 1, text: "[Sheet 1: Sums, 1 row]\n1\t2" });
    expect(sheet.text).toContain("[It holds macros. They were neither run nor read.]");
  });

  test("reads a page as text, and with raw as the source that an edit needs", async () => {
    using scene = makeScene();
    const source = "<html><body><h1>Hi</h1></body></html>\n";
    writeFileSync(scene.path("a.html"), source);
    const tools = scene.tools();
    const page = await tools.run("read", { path: "a.html" });
    expect(page.value).toMatchObject({ kind: "page", text: "# Hi" });
    expect(page.text).toContain("Its source is read with raw.");
    expect((await tools.run("read", { path: "a.html", raw: true })).value).toMatchObject({
      kind: "text",
      text: source,
    });
  });

  test.each([
    ["encrypted", pdfOf(["x"], { encrypted: true }), "encrypted", "Ask for a copy without a password."],
    ["scanned", pdfOf(["", ""]), "no-text", "most likely a scan. Ask for a copy with text"],
    ["damaged", Buffer.from("%PDF-1.7\n\0binary"), "unreadable", "it is damaged or not a real PDF"],
    ["too large", Buffer.concat([pdfOf(["x"]), Buffer.alloc(9_000)]), "too-large", "at most 8.8 KB"],
  ])("a PDF that is %s is a failed call that says so", async (_, bytes, code, words) => {
    using scene = makeScene();
    writeFileSync(scene.path("a.pdf"), bytes);
    const failed = scene.tools({ limits: { documentBytesMax: 9_000 } }).run("read", { path: "a.pdf" });
    await expect(failed).rejects.toMatchObject({ name: "ToolError", code });
    await expect(failed).rejects.toThrow(words);
    await expect(failed).rejects.toThrow(scene.path("a.pdf"));
  });
});

test("every tool says what it is: risk, labels, and that nothing of it leaves this machine", () => {
  using scene = makeScene();
  const table = scene.tools().all.map(({ id, risk, labels, idempotent, preview, undo, reconcile }) => ({
    id,
    risk,
    egress: labels.egress,
    output: labels.output,
    critical: labels.critical,
    content: labels.content,
    idempotent,
    can: [preview && "preview", undo && "undo", reconcile && "reconcile"].filter(Boolean).join(" "),
  }));
  const read = { risk: "read", egress: "none", output: "untrusted", content: [], idempotent: true, can: "" };
  const write = {
    risk: "write",
    egress: "none",
    output: "trusted",
    idempotent: false,
    can: "preview undo reconcile",
  };
  expect(table).toEqual([
    { id: "files.file.read", ...read, critical: ["path"] },
    { id: "files.file.attach", ...read, output: "trusted", critical: ["path"] },
    { id: "files.file.list", ...read, critical: ["path"] },
    { id: "files.file.search", ...read, critical: ["path", "query"] },
    { id: "files.file.write", ...write, critical: ["path"], content: ["content"] },
    { id: "files.file.edit", ...write, output: "untrusted", critical: ["path"], content: ["newText"] },
    { id: "files.file.move", ...write, critical: ["from", "to", "overwrite"], content: [] },
    { id: "files.file.delete", ...write, risk: "destructive", critical: ["path", "recursive"], content: [] },
  ]);
});
