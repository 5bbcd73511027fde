import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeScene } from "./test-scene.ts";

test("attaches a file as it is, with its type by its content", async () => {
  using scene = makeScene();
  const zip = Buffer.from("PK\u0003\u0004\0binary");
  writeFileSync(scene.path("a.zip"), zip);
  writeFileSync(scene.path("notes.txt"), "notes");
  writeFileSync(scene.path("invoice.txt"), "%PDF-1.7");
  const tools = scene.tools();
  const attached = await tools.run("attach", { path: "a.zip" });
  expect(attached.value).toMatchObject({ bytes: zip.length, mimeType: "application/octet-stream" });
  expect(attached.attachments).toEqual([
    { type: "file", mimeType: "application/octet-stream", data: zip.toString("base64"), name: "a.zip" },
  ]);
  expect(attached.text).not.toContain("binary");
  expect((await tools.run("attach", { path: "notes.txt" })).value).toMatchObject({ mimeType: "text/plain" });
  expect((await tools.run("attach", { path: "invoice.txt" })).value).toMatchObject({
    mimeType: "application/pdf",
  });
});

test("attaches nothing that is too large, is no file, or is outside of the folders", async () => {
  using scene = makeScene();
  writeFileSync(scene.path("large"), Buffer.alloc(101));
  mkdirSync(scene.path("folder"));
  symlinkSync("/etc/passwd", scene.path("link"));
  const tools = scene.tools({ limits: { attachedBytesMax: 100 } });
  await expect(tools.run("attach", { path: "large" })).rejects.toMatchObject({ code: "too-large" });
  await expect(tools.run("attach", { path: "none" })).rejects.toMatchObject({ code: "not-found" });
  for (const path of ["folder", "link", "/etc/passwd"])
    await expect(tools.run("attach", { path })).rejects.toMatchObject({ name: "ToolError" });
});
