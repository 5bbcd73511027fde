import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeRedactor } from "@elwood/core/base/redact";
import { fixedId } from "@elwood/testkit/fixed-ids";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileVault } from "./file-vault.ts";

const CALL = fixedId("call", 1);
const KEY = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA";
let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "vault-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const vault = () => fileVault(folder, makeRedactor(["correct horse battery"]));
const file = () => join(folder, "default", `${CALL}.json`);

test("a secret in an input becomes a handle, survives a restart, and comes back whole", async () => {
  const input = { url: "https://x", headers: [{ key: `Bearer ${KEY}` }], pass: "correct horse battery" };
  const sealed = await vault().storeSecrets("default", CALL, input);
  expect(JSON.stringify(sealed)).not.toContain(KEY);
  expect(JSON.stringify(sealed)).not.toContain("horse");
  expect(await vault().open("default", CALL, sealed)).toEqual(input);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test("an input without secrets is left as it is, and makes no file", async () => {
  const input = { path: "notes.txt", n: 3, none: null };
  expect(await vault().storeSecrets("default", CALL, input)).toBe(input);
  expect(existsSync(file())).toBe(false);
});

test("sealing twice adds to what is kept, and dropping removes all of it", async () => {
  const first = await vault().storeSecrets("default", CALL, { a: KEY });
  const second = await vault().storeSecrets("default", CALL, {
    ...(first as object),
    b: "correct horse battery",
  });
  expect(await vault().open("default", CALL, second)).toEqual({ a: KEY, b: "correct horse battery" });
  await vault().drop("default", CALL);
  expect(existsSync(file())).toBe(false);
  await expect(vault().open("default", CALL, second)).rejects.toThrow("no longer in the vault");
});

test.each([`${CALL}.2`, `${CALL}.r1`])("%s, which a program made, has secrets of its own", async (made) => {
  const sealed = await vault().storeSecrets("default", made, { a: KEY });
  expect(await vault().open("default", made, sealed)).toEqual({ a: KEY });
  await expect(vault().open("default", CALL, sealed)).rejects.toThrow("no longer in the vault");
  expect(await vault().held("default")).toEqual([made]);
  await vault().drop("default", made);
  expect(await vault().held("default")).toEqual([]);
});

test.each([`${CALL}.`, `${CALL}.1.2`, `${CALL}./x`, `${CALL}.x`])("%s is no call's id", async (id) => {
  await expect(vault().storeSecrets("default", id, { a: KEY })).rejects.toThrow("not the id");
});

test("a name that is no call's id reaches no file", async () => {
  await expect(vault().storeSecrets("default", "../../x", { a: KEY })).rejects.toThrow("not the id");
  expect(() => readFileSync(join(folder, "x.json"))).toThrow();
});

test("two edits of one call at the same instant keep the secrets of both", async () => {
  const kept = vault();
  const [first, second] = await Promise.all([
    kept.storeSecrets("default", CALL, { a: KEY }),
    kept.storeSecrets("default", CALL, { b: "correct horse battery" }),
  ]);
  expect(await vault().open("default", CALL, first)).toEqual({ a: KEY });
  expect(await vault().open("default", CALL, second)).toEqual({ b: "correct horse battery" });
});

test("a call that ends while a secret is being put away leaves nothing behind", async () => {
  const kept = vault();
  await Promise.all([kept.storeSecrets("default", CALL, { a: KEY }), kept.drop("default", CALL)]);
  expect(existsSync(file())).toBe(false);
});

test("what an earlier process kept is dropped with its call, and a call that kept nothing drops nothing", async () => {
  const [kept, other] = ["call_00000000000000000000000001", "call_00000000000000000000000002"];
  await vault().storeSecrets("default", kept, { text: "correct horse battery" });
  const later = vault();
  await later.drop("default", other);
  expect(await later.held("default")).toEqual([kept]);
  await later.drop("default", kept);
  expect(await later.held("default")).toEqual([]);
});

test.each(["[1]", '{"a', '{"handle":1}'])(
  "a file of another form (%s) is named, not quoted and not used",
  async (text) => {
    const sealed = await vault().storeSecrets("default", CALL, { a: KEY });
    const path = join(folder, "default", `${CALL}.json`);
    writeFileSync(path, text);
    const opened = vault().open("default", CALL, sealed);
    await expect(opened).rejects.toMatchObject({
      failure: { reason: "STORAGE", message: expect.stringContaining(`${path}, which keeps`) as string },
    });
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);
