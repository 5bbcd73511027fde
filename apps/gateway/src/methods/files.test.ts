import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, result } from "@elwood/sdk/tool";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

const painter = defineTool({
  id: "paint.picture.make",
  risk: "read",
  input: z.object({}),
  labels: { egress: "none", output: "untrusted", critical: [], sensitive: false },
  handler: () =>
    result(
      {},
      {
        text: 'It says "blobId" too.',
        attachments: [{ type: "file", mimeType: "text/csv", data: "YSxiCg==", name: "table\u202e.csv" }],
      },
    ),
});

async function open(): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, { extraTools: [{ source: "built-in", tools: [painter] }] });
}

async function upload({ gateway }: Scene): Promise<string> {
  const { url, ownerToken } = gateway;
  const stored = await fetch(new URL("/blobs", url), {
    method: "POST",
    headers: { authorization: `Bearer ${ownerToken}`, "content-type": "text/plain" },
    body: "a list",
  });
  return ((await stored.json()) as { blobId: string }).blobId;
}

test("files of a conversation: what was attached, and what calls changed or handed over, with receipt and undo", async () => {
  await using scene = await open();
  const at = (name: string) => join(scene.files, name);
  writeFileSync(at("old.txt"), "old");
  const blobId = await upload(scene);
  const { sessionKey } = await scene.call("sessions.create", {});
  const parts = [{ kind: "blob" as const, blobId, name: "list\u202e.txt", origin: "attached" as const }];
  await scene.run({ sessionKey, parts });
  const { runId } = await scene.run({
    sessionKey,
    calls: [
      ["files.file.read", { path: at("old.txt") }],
      ["files.file.write", { path: at("new.txt"), content: "new" }],
      ["files.file.move", { from: at("old.txt"), to: at("moved.txt") }],
      ["files.file.write", { path: at("denied.txt"), content: "no" }],
      ["paint.picture.make", {}],
    ],
    decide: ({ details }) => (JSON.stringify(details).includes("denied.txt") ? "deny" : "allow"),
  });
  const { files, next } = await scene.call("sessions.files", { sessionKey });
  expect(next).toBeUndefined();
  const byTool = (tool: string) => files.find(({ call }) => call?.toolId === tool);
  expect(files.map(({ call }) => call?.toolId ?? "attached").toSorted()).toEqual([
    "attached",
    "files.file.move",
    "files.file.write",
    "paint.picture.make",
  ]);
  expect(files.at(-1)).toMatchObject({
    name: "list\\u202e.txt",
    blobs: [{ blobId, mime: "text/plain", name: "list\\u202e.txt" }],
  });
  const wrote = byTool("files.file.write");
  expect(wrote).toMatchObject({
    runId,
    name: "new.txt",
    // By its call: as it is when somebody looks.
    blobs: [{ blobId: wrote!.call!.callId, name: "new.txt" }],
    call: { status: "succeeded", asks: false, undone: false, canUndo: true },
  });
  expect(byTool("files.file.move")?.blobs).toMatchObject([{ name: "moved.txt" }]);
  expect(byTool("paint.picture.make")).toMatchObject({
    blobs: [{ mime: "text/csv", name: "table\\u202e.csv" }],
    call: { canUndo: false },
  });
  const { receipt } = await scene.call("receipts.get", { receiptId: wrote!.call!.receiptId });
  expect(receipt).toMatchObject({ type: "tool.call.succeeded", callId: wrote!.call!.callId });

  await scene.call("calls.undo", { callId: wrote!.call!.callId });
  const after = await scene.call("sessions.files", { sessionKey });
  expect(after.files).toHaveLength(files.length);
  expect(after.files.find(({ call }) => call?.callId === wrote!.call!.callId)).toMatchObject({
    blobs: [],
    call: { undone: true, canUndo: false },
  });
});

test("a file that a call left is fetched as it is now, and only where Elwood may read, by the owner", async () => {
  await using scene = await open();
  const at = (name: string) => join(scene.files, name);
  const { sessionKey } = await scene.run({
    calls: [
      ["files.file.write", { path: at("list.md"), content: "- milk\n" }],
      ["files.file.write", { path: at("denied.md"), content: "no" }],
    ],
    decide: ({ details }) => (JSON.stringify(details).includes("denied.md") ? "deny" : "allow"),
  });
  const { files } = await scene.call("sessions.files", { sessionKey });
  expect(files).toHaveLength(1);
  const [{ blobId } = { blobId: "" }] = files[0]!.blobs;
  const fetched = async () => {
    const { url } = await scene.call("blobs.ticket", { blobId });
    return fetch(new URL(url, scene.gateway.url));
  };
  writeFileSync(at("list.md"), "- milk\n- bread\n");
  const answer = await fetched();
  expect(await answer.text()).toBe("- milk\n- bread\n");
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  // The id of a call is no key to the file: without a ticket, or with that of another, nothing is told.
  expect((await fetch(new URL(`/blobs/${blobId}`, scene.gateway.url))).status).toBe(401);
  const { url } = await scene.call("blobs.ticket", { blobId: await upload(scene) });
  const foreign = new URL(url, scene.gateway.url);
  foreign.pathname = `/blobs/${blobId}`;
  expect((await fetch(foreign)).status).toBe(401);
  // A link that took its place leads nowhere.
  rmSync(at("list.md"));
  symlinkSync(join(scene.home, "keys", "owner-token"), at("list.md"));
  await expect(fetched()).rejects.toThrow(/list\.md/);
  rmSync(at("list.md"));
  await expect(fetched()).rejects.toThrow("It is not there any more");
});

test("a file that usually holds keys is not shown without a question, whoever asks for it", async () => {
  await using scene = await open();
  const { sessionKey } = await scene.run({
    calls: [["files.file.write", { path: join(scene.files, "server.key"), content: "not a real key" }]],
    decide: () => "allow",
  });
  const { files } = await scene.call("sessions.files", { sessionKey });
  const [{ blobId } = { blobId: "" }] = files[0]!.blobs;
  await expect(scene.call("blobs.ticket", { blobId })).rejects.toThrow("server.key usually holds keys");
});

test("files come in pages that neither leave one out nor tell one twice, and another conversation has its own", async () => {
  await using scene = await open();
  const { sessionKey } = await scene.run({
    calls: Array.from({ length: 7 }, (_, i) => [
      "files.file.write",
      { path: join(scene.files, `${i}.txt`), content: "x" },
    ]),
    decide: () => "allow",
  });
  const other = await scene.run({});
  const seen: string[] = [];
  let before: string | undefined;
  for (let page = 0; page === 0 || before !== undefined; page++) {
    const answer = await scene.call("sessions.files", { sessionKey, limit: 3, ...(before && { before }) });
    seen.push(...answer.files.map(({ name }) => name!.replace(/^.*\//, "")));
    before = answer.next;
  }
  expect(seen.toSorted()).toEqual(Array.from({ length: 7 }, (_, i) => `${i}.txt`));
  expect((await scene.call("sessions.files", { sessionKey: other.sessionKey })).files).toEqual([]);
  await expect(scene.call("sessions.files", { sessionKey: "none" })).rejects.toThrow("There is no session");
});

test("a file that waits for the owner says so", async () => {
  await using scene = await open();
  const { sessionKey } = await scene.run({
    calls: [["files.file.write", { path: join(scene.files, "a.txt"), content: "x" }]],
    decide: () => "wait",
  });
  const { files } = await scene.call("sessions.files", { sessionKey });
  expect(files).toMatchObject([{ call: { status: "pending", asks: true, canUndo: false } }]);
});
