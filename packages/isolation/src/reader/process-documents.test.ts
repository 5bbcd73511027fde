import { ManualClock } from "@elwood/testkit/manual-clock";
import { bookOf, paragraph, wordOf, zipOf } from "@elwood/testkit/office";
import { pdfOf } from "@elwood/testkit/pdf";
import { systemClock } from "@elwood/platform/system";
import { afterAll, expect, test } from "vitest";
import { ProcessDocuments, type DocumentsOptions } from "./process-documents.ts";

const never = new AbortController().signal;
const opened: ProcessDocuments[] = [];
afterAll(() => opened.forEach((each) => each.close()));

function open(options: Partial<DocumentsOptions> = {}): ProcessDocuments {
  const documents = new ProcessDocuments({ clock: systemClock, log: { warn() {}, debug() {} }, ...options });
  opened.push(documents);
  return documents;
}

const shared = open();

test("documents are read in a process of their own, one after the other in the same one", async () => {
  const read = (bytes: Uint8Array, name: string) => shared.read(bytes, name, never);
  expect(shared.pid).toBeUndefined();
  const [word, pdf, book] = await Promise.all([
    read(wordOf(paragraph("Hello")), "a.docx"),
    read(pdfOf(["Paper"]), "a.pdf"),
    read(bookOf(["<p>Once</p>"]), "a.epub"),
  ]);
  expect([word, pdf, book].map(({ text }) => text)).toEqual(["Hello", "Paper", "[Part 1]\nOnce"]);
  const { pid } = shared;
  expect(pid).toBeGreaterThan(0);
  // What is wrong with a document is no fault of the process.
  await expect(read(zipOf({ "a.jpg": "x" }), "a.zip")).rejects.toThrow("it is an archive, not a document");
  expect(shared.pid).toBe(pid);
});

test("one that takes too long is given up with its process, and the next one is read by another", async () => {
  const clock = new ManualClock();
  const documents = open({ clock, limits: { lookMs: 1_000_000 } });
  await documents.read(pdfOf(["x"]), "x.pdf", never);
  const first = documents.pid!;
  // Held by the system, it never answers.
  process.kill(first, "SIGSTOP");
  const failed = documents.read(pdfOf(["x"]), "slow.pdf", never).catch((error: unknown) => error);
  const gone = () => {
    void clock.advance(5_000);
    return documents.pid;
  };
  await expect.poll(gone, { timeout: 20_000 }).toBeUndefined();
  expect(await failed).toMatchObject({
    name: "ToolError",
    message:
      "slow.pdf was not read: reading it took too long, so it was given up. Ask for another copy of it.",
  });
  expect((await documents.read(pdfOf(["y"]), "y.pdf", never)).text).toBe("y");
  expect(documents.pid).not.toBe(first);
});

test("one that takes too much memory is given up, and told so", async () => {
  let taken = 10;
  const documents = open({ memoryMb: () => taken, limits: { lookMs: 1 } });
  await documents.read(pdfOf(["x"]), "x.pdf", never);
  // Held by the system, it does not answer before it was looked at.
  process.kill(documents.pid!, "SIGSTOP");
  taken = 10_000;
  await expect(documents.read(pdfOf(["x"]), "fat.pdf", never)).rejects.toThrow(
    "fat.pdf was not read: reading it took too much memory, so it was given up.",
  );
  expect(documents.pid).toBeUndefined();
});

test("a real bomb ends in words, and costs the gateway nothing", async () => {
  const bomb = wordOf(paragraph("0".repeat(200 * 1024 * 1024)));
  expect(bomb.length).toBeLessThan(1024 * 1024);
  await expect(shared.read(bomb, "bomb.docx", never)).rejects.toThrow("built to fill memory");
  expect((await shared.read(wordOf(paragraph("after")), "a.docx", never)).text).toBe("after");
});

test("reading that is stopped says why, and the next document is read", async () => {
  const stop = new AbortController();
  const reading = shared.read(pdfOf(["x"]), "a.pdf", stop.signal);
  stop.abort(new Error("stopped by the owner"));
  await expect(reading).rejects.toThrow("stopped by the owner");
  expect((await shared.read(pdfOf(["y"]), "b.pdf", never)).text).toBe("y");
});

test("the process leaves when nothing came for a while", async () => {
  const clock = new ManualClock();
  const documents = open({ clock });
  await documents.read(pdfOf(["x"]), "x.pdf", never);
  expect(documents.pid).toBeGreaterThan(0);
  await clock.advance(60_000);
  await expect.poll(() => documents.pid).toBeUndefined();
});

test("after the end nothing is read", async () => {
  const documents = open();
  documents.close();
  await expect(documents.read(pdfOf(["x"]), "x.pdf", never)).rejects.toThrow("Elwood is stopping");
});
