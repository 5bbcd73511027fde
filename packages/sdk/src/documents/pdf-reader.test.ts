import { pdfOf } from "@elwood/testkit/pdf";
import { expect, test } from "vitest";
import { PdfReader, type PdfLimits } from "./pdf-reader.ts";

const LIMITS: PdfLimits = {
  readMs: 8_000,
  readMemoryMb: 384,
  readerIdleMs: 1_000,
  textCharsMax: 10_000,
  pdfPagesMax: 20,
};
const never = new AbortController().signal;
const read = (bytes: Uint8Array, limits: Partial<PdfLimits> = {}) =>
  new PdfReader({ ...LIMITS, ...limits }).read(bytes, "letter.pdf", never);

test("a PDF is read as text, page by page, and says which pages hold none", async () => {
  expect(await read(pdfOf(["Dear Anna\nthank you", "", "Yours (B.)"]))).toEqual({
    kind: "text",
    text: "Dear Anna\nthank you\n\nYours (B.)",
    pages: 3,
    pagesWithoutText: 1,
    cut: false,
  });
});

test("an encrypted PDF is told as one, with what to do", async () => {
  await expect(read(pdfOf(["secret"], { encrypted: true }))).rejects.toMatchObject({
    name: "ToolError",
    code: "encrypted",
    message:
      "letter.pdf was not read: it is an encrypted PDF that opens only with a password. Ask for a copy without a password.",
  });
});

test("a scanned PDF is told as one without text, with what to do", async () => {
  await expect(read(pdfOf(["", ""]))).rejects.toMatchObject({
    code: "no-text",
    message:
      "letter.pdf was not read: it is a PDF without text on any of its 2 pages, most likely a scan. Ask for a copy with text, or run text recognition (OCR) on it first.",
  });
  await expect(read(pdfOf(["", "words"]), { pdfPagesMax: 1 })).rejects.toThrow(
    "without text on the first 1 of its 2 pages",
  );
});

test("a damaged PDF, and one that takes too long, are told as unreadable", async () => {
  const damaged = read(Buffer.from("%PDF-1.7 nonsense"));
  await expect(damaged).rejects.toMatchObject({ code: "unreadable" });
  await expect(damaged).rejects.toThrow("letter.pdf was not read: it is damaged or not a real PDF");
  await expect(read(pdfOf(["x"]), { readMs: 0 })).rejects.toThrow("took too long");
});

test("more pages or characters than the limits are cut, and that is said", async () => {
  const pages = ["one", "two", "three"];
  expect(await read(pdfOf(pages), { pdfPagesMax: 2 })).toMatchObject({
    text: "one\n\ntwo",
    cut: true,
    pages: 3,
  });
  expect(await read(pdfOf(pages), { textCharsMax: 2 })).toMatchObject({ text: "on", cut: true });
});

test("a reader that is stopped says why, and reads the next one", async () => {
  const reader = new PdfReader(LIMITS);
  const stopped = AbortSignal.abort(new Error("stopped"));
  await expect(reader.read(pdfOf(["one"]), "a.pdf", stopped)).rejects.toThrow("stopped");
  expect((await reader.read(pdfOf(["two"]), "b.pdf", never)).text).toBe("two");
});
