import { LIMITS } from "@elwood/core/base/limits";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { expect, test } from "vitest";
import type { CallRow } from "../ports/gate-ports.ts";
import { replyFiles } from "./reply-files.ts";

const T = "default";
const chat = { title: "Discord", bytesMax: 1024, link: "http://elwood.test/runs/run_1" };

async function found(calls: readonly Partial<CallRow>[], store = memoryStores().blobs) {
  const rows = calls.map((call, i) => ({ callId: `call_${i}`, state: "succeeded", ...call }) as CallRow);
  const ledger = { callsOfRun: async () => rows };
  const redact = (text: string) => text.replaceAll("sk-secret", "[redacted]");
  return replyFiles({ tenant: T, ledger, blobs: store, redact }, "run_1", chat);
}

const ok = (more: object) => ({ status: "ok" as const, text: "", ...more });

test("files that calls handed over go out, with a name of one line and no path; those that failed or were undone do not", async () => {
  const { blobs } = memoryStores();
  const put = async (text: string, mime: string, name?: string) => {
    const { blobId } = await blobs.put(T, Buffer.from(text), mime, 1);
    return { blobId, mime, ...(name === undefined ? {} : { name }) };
  };
  const report = await put("report", "application/pdf", "../x/re\u202eport\n.pdf");
  const unnamed = await put("data", "application/json");
  const failed = await put("no", "text/plain", "no.txt");
  const undone = await put("undone", "text/plain", "undone.txt");
  const { files, notes } = await found(
    [
      { toolId: "mcp.report.make", outcome: ok({ files: [report, report, unnamed] }) },
      { toolId: "mcp.report.make", state: "failed", outcome: ok({ files: [failed] }) },
      { toolId: "mcp.report.make", outcome: ok({ files: [undone] }) },
      { toolId: "mcp.report.make", undoes: "call_2", outcome: ok({}) },
    ],
    blobs,
  );
  expect(files).toEqual([
    { blobId: report.blobId, name: "re\\u202eport\\n.pdf", mime: "application/pdf", bytes: 6 },
    { blobId: unnamed.blobId, name: "file-2.json", mime: "application/json", bytes: 4 },
  ]);
  expect(notes).toEqual([]);
});

test("of pictures a tool made on its way the last go out, and none that was only looked at", async () => {
  const { blobs } = memoryStores();
  const picture = async (text: string) => ({
    mime: "image/png",
    blobId: (await blobs.put(T, Buffer.from(text), "image/png", 1)).blobId,
  });
  const [first, last, own] = [await picture("1"), await picture("2"), await picture("3")];
  const { files } = await found(
    [
      { toolId: "browser.page.screenshot", outcome: ok({ images: [first] }) },
      { toolId: "browser.page.screenshot", outcome: ok({ images: [last] }) },
      { toolId: "files.file.read", outcome: ok({ images: [own] }) },
    ],
    blobs,
  );
  expect(files).toMatchObject([{ blobId: last?.blobId, name: "picture-1.png" }]);
});

test("a file that is too large or has a known key in it does not go out, and is told with where it is", async () => {
  const { blobs } = memoryStores();
  const put = async (text: string, name: string) => ({
    mime: "text/plain",
    name,
    blobId: (await blobs.put(T, Buffer.from(text), "text/plain", 1)).blobId,
  });
  const files = [await put("x".repeat(1025), "large.txt"), await put("KEY=sk-secret", "env.txt")];
  for (let i = 0; i < LIMITS.replyFilesMax; i += 1) files.push(await put(`${i}`, `${i}.txt`));
  const made = await found([{ toolId: "mcp.report.make", outcome: ok({ files }) }], blobs);
  expect(made.files).toHaveLength(LIMITS.replyFilesMax - 2);
  expect(made.notes).toEqual([
    expect.stringMatching(
      /^large\.txt \(.* MB\) is larger than the .* MB that Discord takes, so it was not sent\. You find it at http/,
    ),
    expect.stringMatching(
      /^env\.txt contains a key or password that Elwood knows, so it was not sent to Discord/,
    ),
    "2 more files are at http://elwood.test/runs/run_1",
  ]);
});
