import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import { paragraph, wordOf, zipOf } from "@elwood/testkit/office";
import { expect, test } from "vitest";
import { attachmentTexts } from "./attachment-texts.ts";

const never = new AbortController().signal;

test("an attached document is read once; one that cannot be read is a sentence that says why", async () => {
  const blobs = new Map<string, Uint8Array>([
    ["b1", wordOf(paragraph("Hello"), { "word/vbaProject.bin": "x" })],
    ["b2", zipOf({ "a.jpg": "x" })],
    ["b4", Buffer.from("plain words")],
  ]);
  const names: string[] = [];
  const here = directDocuments();
  const documents: DocumentReader = {
    async read(bytes, name, signal) {
      names.push(name);
      return here.read(bytes, name, signal);
    },
  };
  const textOf = attachmentTexts({ blobs: { read: async (_, id) => blobs.get(id) }, documents });
  const word = { tenant: "default", blobId: "b1", name: "letter.docm" };
  const told = "Hello\n[It holds macros. They were neither run nor read.]";
  expect(await textOf(word, never)).toBe(told);
  expect(await textOf(word, never)).toBe(told);
  expect(names).toEqual(["letter.docm"]);
  expect(await textOf({ tenant: "default", blobId: "b2", name: "photos.zip" }, never)).toBe(
    "[photos.zip was not read: it is an archive, not a document. Ask for it as text or PDF.]",
  );
  expect(await textOf({ tenant: "default", blobId: "b4", name: "notes" }, never)).toBe("plain words");
  expect(await textOf({ tenant: "default", blobId: "b3", name: "x.docx" }, never)).toBeUndefined();
});
