import { createHash, generateKeyPairSync, sign, verify } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes } from "../base/bytes.ts";
import {
  checkpointText,
  formatNote,
  headLine,
  isSignedBy,
  keyIdOf,
  logIdOf,
  originOf,
  parseSavedHead,
  parseNote,
  type LogKey,
} from "./checkpoint.ts";
import type { Sha256 } from "./receipt.ts";

const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex");
const root = sha256("root");

function aKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "raw-public" });
  const origin = originOf(logIdOf(raw, sha256), "default");
  const keyId = keyIdOf(origin, raw, sha256);
  const key: LogKey = {
    origin,
    keyId,
    verify: (text, signature) => verify(null, Buffer.from(text), publicKey, signature),
  };
  const note = (size: number) => {
    const text = checkpointText({ origin, size, root });
    return formatNote(text, [{ name: origin, keyId, signature: sign(null, Buffer.from(text), privateKey) }]);
  };
  return { key, note };
}

const { key, note } = aKey();

test("a checkpoint is three lines, an empty one, and a signature: a signed note", () => {
  const lines = note(1_204).split("\n");
  expect(lines).toHaveLength(6);
  expect(lines.slice(0, 4)).toEqual([key.origin, "1204", Buffer.from(root, "hex").toString("base64"), ""]);
  expect(lines[4]).toMatch(new RegExp(`^— ${key.origin} [A-Za-z0-9+/]{91}=$`));
  expect(lines[5]).toBe("");
  expect(key.origin).toMatch(/^elwood\/[0-9a-f]{32}$/);
});

test("what is written is read back, and the signature holds", () => {
  const parsed = parseNote(note(7));
  expect(parsed).toMatchObject({ ok: true, value: { checkpoint: { origin: key.origin, size: 7, root } } });
  expect(parsed.ok && isSignedBy(parsed.value, key)).toBe(true);
});

test("a signature of another key, or over other text, does not count", () => {
  const other = aKey();
  const parsed = parseNote(other.note(7));
  expect(parsed.ok && isSignedBy(parsed.value, key)).toBe(false);
  const changed = parseNote(note(7).replace("\n7\n", "\n8\n"));
  expect(changed.ok && isSignedBy(changed.value, key)).toBe(false);
  // The other key's signature under this log's name and key id.
  const forged = parseNote(other.note(7).replaceAll(other.key.origin, key.origin));
  expect(forged.ok && isSignedBy(forged.value, { ...key, keyId: other.key.keyId })).toBe(false);
});

test("signatures of witnesses stand beside the log's own", () => {
  const witnessed = `${note(7)}— witness.example ${Buffer.alloc(68, 1).toString("base64")}\n`;
  const parsed = parseNote(witnessed);
  expect(parsed.ok && parsed.value.signatures).toHaveLength(2);
  expect(parsed.ok && isSignedBy(parsed.value, key)).toBe(true);
});

test("logs of tenants have names of their own", () => {
  expect(originOf("a".repeat(32), "default")).toBe(`elwood/${"a".repeat(32)}`);
  expect(originOf("a".repeat(32), "anna")).toBe(`elwood/${"a".repeat(32)}/anna`);
});

describe("what is not a checkpoint is refused with words", () => {
  const good = note(7);
  test.each<[string, string]>([
    ["nothing", ""],
    ["no signature", good.slice(0, good.indexOf("—"))],
    ["no last line end", good.trimEnd()],
    ["another origin", good.replace(/^elwood\//, "rekor/")],
    ["a size with a sign", good.replace("\n7\n", "\n+7\n")],
    ["a size with a leading nought", good.replace("\n7\n", "\n07\n")],
    ["a size beyond all numbers", good.replace("\n7\n", "\n9999999999999999\n")],
    ["a root that is too short", good.replace(/\n[^\n]{44}\n/, "\nAAAA\n")],
    ["one line more", good.replace("\n\n", "\nextra\n\n")],
    ["a signature without its dash", good.replace("—", "-")],
    ["a signature that is not base64", good.replace(/[^ ]+\n$/, "%%%%\n")],
    ["very long text", `${good}${"— a AAAAAAAA\n".repeat(1_000)}`],
  ])("%s", (_, text) => {
    const parsed = parseNote(text);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.error).toMatch(/^(it|its|a) /);
  });

  test("whatever the text, reading it never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void parseNote(`${text}\n\n${text}`)));
    fc.assert(fc.property(fc.string(), (text) => void parseSavedHead(text)));
  });
});

describe("what a person kept", () => {
  test("is the line of a reply", () => {
    const line = headLine(1_204, root);
    expect(line).toBe(`receipts 1204 · ${root.slice(0, 16)}`);
    const held = { ok: true, value: { kind: "line", size: 1_204, shortRoot: root.slice(0, 16) } };
    expect(parseSavedHead(`✓ files.file.write → a.txt · ${line}\n`)).toEqual(held);
  });

  test("is a reply as JSON, or a file of them, of which the last counts", () => {
    const reply = (size: number) => JSON.stringify({ text: "Done.", log: { size, root } });
    const held = { ok: true, value: { kind: "line", size: 12, shortRoot: root.slice(0, 16) } };
    expect(parseSavedHead(reply(12))).toEqual(held);
    expect(parseSavedHead(`${reply(3)}\n${reply(12)}\n${reply(7)}\n`)).toEqual(held);
    expect(parseSavedHead(JSON.stringify({ meta: { log: { size: 12, root } } }, null, 2))).toEqual(held);
  });

  test("is a checkpoint, also one that was pasted and lost or gained white space", () => {
    for (const text of [note(9), note(9).trimEnd(), `Daily:\r\n  ${note(9).replaceAll("\n", "\r\n  ")}\n`]) {
      const held = parseSavedHead(text);
      expect(held.ok && held.value.kind === "note" && isSignedBy(held.value.note, key)).toBe(true);
    }
  });

  test("is neither, and that is said", () => {
    expect(parseSavedHead("my shopping list")).toMatchObject({ ok: false });
    expect(parseSavedHead("receipts 12 · 0123")).toMatchObject({ ok: false });
  });
});

test("bytes go to text and back, and only one text means them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes);
      expect(base64ToBytes(bytesToBase64(bytes))).toEqual(bytes);
      expect(bytesToHex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
      expect(bytesToBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    }),
  );
  for (const text of ["A", "AB=", "AB==CD==", "A*==", "AB==\n", "AC=="]) {
    const bytes = base64ToBytes(text);
    if (bytes !== undefined) expect(bytesToBase64(bytes)).toBe(text);
  }
  expect(base64ToBytes("AB==")).toBeUndefined();
  expect(() => hexToBytes("0A")).toThrow(TypeError);
  expect(() => hexToBytes("abc")).toThrow(TypeError);
});
