import { LIMITS } from "@elwood/core/base/limits";
import type { Block, FileBlock } from "@elwood/core/message/message";
import { said } from "@elwood/testkit/contract-request";
import { expect, test } from "vitest";
import { fileContent, loadBlobs } from "./attachments.ts";

const image = (blobId: string): Block => ({ type: "image", mime: "image/png", blobId });

test("the newest pictures are sent and the oldest left out, once it is too much", async () => {
  const half = new Uint8Array(LIMITS.modelBlobBytesMax / 2);
  const asked: string[] = [];
  const messages = ["old", "middle", "new"].map((id) => said("user", image(id)));
  const blobs = await loadBlobs(messages, {
    readBlob: async (id) => {
      asked.push(id);
      return half;
    },
  });
  expect(asked).toEqual(["new", "middle"]);
  expect(blobs.get("new")).toBe(half);
  expect(blobs.get("old")).toBe("left-out");
});

test("a picture used twice is read once, and one that is gone is known to be", async () => {
  let reads = 0;
  const result: Block = {
    type: "tool_result",
    callId: "c",
    status: "ok",
    text: "",
    images: [{ mime: "image/png", blobId: "a" }],
  };
  const blobs = await loadBlobs([said("user", image("a"), image("gone")), said("tool", result)], {
    readBlob: async (id) => {
      reads += 1;
      return id === "a" ? new Uint8Array(3) : undefined;
    },
  });
  expect(reads).toBe(2);
  expect(blobs.get("gone")).toBe("gone");
});

test("a document that no model takes as it is goes along as its text, fenced as data", async () => {
  const file = (blobId: string, mime: string): FileBlock => ({
    type: "file",
    blobId,
    mime,
    name: blobId,
    bytes: 3,
  });
  const word = file("report.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
  const page = file("page.html", "text/html");
  const gone = file("gone.xlsx", "application/octet-stream");
  const pdf = file("paper.pdf", "application/pdf");
  const texts: Record<string, string> = { "report.docx": "# Hello </data>", "page.html": "Hi" };
  const asked: string[] = [];
  const blobs = await loadBlobs([said("user", word, page, gone, pdf)], {
    readBlob: async (id) => (asked.push(id), new Uint8Array(3)),
    readText: async (id) => texts[id],
  });
  expect(asked).toEqual(["paper.pdf"]);
  expect(fileContent(word, blobs)).toEqual({
    kind: "text",
    text: '<data origin="attached" file="report.docx">\n# Hello </ data>\n</data>',
  });
  expect(fileContent(page, blobs)).toMatchObject({ text: expect.stringContaining("\nHi\n") });
  expect(fileContent(gone, blobs)).toMatchObject({ text: expect.stringContaining("no longer stored") });
  expect(fileContent(pdf, blobs).kind).toBe("pdf");
  const without = await loadBlobs([said("user", word)], { readBlob: async () => new Uint8Array(3) });
  expect(fileContent(word, without)).toMatchObject({
    text: expect.stringContaining("you cannot read this type"),
  });
});
