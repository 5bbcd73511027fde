#!/usr/bin/env node
// long: it travels alone, so that whoever checks a log has one file to read
//
// Checks an export of Elwood's receipts. It needs Node and nothing else: no package, no
// network, no part of Elwood. Read it before you trust it.
//
//   node verify.mjs [folder or file.json] [--held FILE] [--key FILE] [--strict] [--chain-only] [--json]
//
// --held FILE   a checkpoint, or a line "receipts 12 · 0123456789abcdef", that you kept elsewhere
// --key FILE    a public key that you kept elsewhere; without it the one in the bundle is believed
// --strict      receipts that no signature covers yet count as a failure
//
// Exit codes: 0 intact · 10 altered · 11 truncated · 12 strict, and some receipts are unsealed · 2 usage

import { createHash, createPublicKey, verify } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** @type {Record<string, number>} */
const EXIT = { intact: 0, altered: 10, truncated: 11 };
const sha256 = (/** @type {string | Uint8Array} */ data) => createHash("sha256").update(data).digest();
const hex = (/** @type {string | Uint8Array} */ data) => sha256(data).toString("hex");

const { target, flags } = readArguments(process.argv.slice(2));
const bundle = readBundle(target);
const verdict = judge(bundle, flags);
process.stdout.write(flags.json ? `${JSON.stringify(verdict)}\n` : `${words(verdict)}\n`);
process.exitCode =
  verdict.status === "intact" && flags.strict && verdict.unsealed > 0 ? 12 : EXIT[verdict.status];

/** @param {any} bundle @param {any} flags @returns {any} */
function judge(bundle, flags) {
  const known = keyOf(
    createPublicKey(flags.key ? readFileSync(flags.key, "utf8") : bundle.publicKey),
    bundle.tenant,
  );
  // A log that changed its key says so in receipts that both keys signed. Whoever trusts one of
  // its keys can follow it to the others; each change is checked below, where its receipt is read.
  const rotations = flags.chainOnly ? [] : bundle.receipts.filter(rotationOf);
  const spans = rotations.map((/** @type {any} */ each) => ({
    since: each.seq,
    key: claimedKey(rotationOf(each).to, bundle.tenant),
  }));
  spans.unshift({
    since: 0,
    key: rotations.length > 0 ? claimedKey(rotationOf(rotations[0]).from, bundle.tenant) : known,
  });
  const keyAt = (/** @type {number} */ size) =>
    spans.findLast((/** @type {any} */ span) => span.since <= size).key;

  /** @type {{size: number, root?: string, short?: string, held: boolean, bad?: string}[]} */
  const expected = [];
  if (!spans.some((/** @type {any} */ span) => span.key.origin === known.origin))
    expected.push({ size: 0, held: false, bad: `this log was never signed by ${known.origin}` });
  for (const { note } of flags.chainOnly ? [] : bundle.checkpoints) {
    const read = readNote(note);
    if (!read) expected.push({ size: 0, held: false, bad: "a stored checkpoint was changed" });
    else if (!signed(read, keyAt(read.size)))
      expected.push({
        size: read.size,
        held: false,
        bad: `the stored checkpoint of ${read.size} receipts is not signed by this log's key`,
      });
    else expected.push({ size: read.size, root: read.root, held: false });
  }
  if (flags.held) {
    const text = readFileSync(flags.held, "utf8");
    const line = /(?:\breceipts|◈ [\p{L}]{1,20}) (\d{1,15}) · ([0-9a-f]{16})\b/u.exec(text);
    const start = text.indexOf("elwood/");
    const pasted = text
      .slice(start)
      .split(/\r?\n/)
      .map((each) => each.trim())
      .join("\n");
    const read = line || start < 0 ? undefined : readNote(`${pasted.trimEnd()}\n`);
    if (line) expected.push({ size: Number(line[1]), short: line[2], held: true });
    else if (!read) usage(`${flags.held} holds no checkpoint`);
    else if (read.origin !== keyAt(read.size).origin)
      expected.push({
        size: 0,
        held: true,
        bad: `the checkpoint you hold is of ${read.origin}, and this log is ${keyAt(read.size).origin}`,
      });
    else if (!signed(read, keyAt(read.size)))
      expected.push({ size: 0, held: true, bad: "the checkpoint you hold is not signed by this log's key" });
    else expected.push({ size: read.size, root: read.root, held: true });
  }
  expected.sort((a, b) => a.size - b.size);

  // The right edge of the tree: roots of its full subtrees, largest first.
  /** @type {Buffer[]} */
  const edge = [];
  let [size, sealed, sealedRoot, vouched, prev] = [0, 0, "", 0, "0".repeat(64)];
  /** @type {string | undefined} */
  let suspect;
  const root = () => {
    if (edge.length === 0) return hex("");
    return edge
      .slice(0, -1)
      .reduceRight((right, left) => node(left, right), /** @type {Buffer} */ (edge.at(-1)))
      .toString("hex");
  };
  /** @param {string | undefined} id */
  const compare = (id) => {
    while (expected.length > 0 && /** @type {any} */ (expected[0]).size <= size) {
      const check = /** @type {(typeof expected)[number]} */ (expected.shift());
      if (check.bad) return { status: "altered", seq: check.size, id, why: check.bad };
      const actual = root();
      if (check.root !== undefined ? check.root !== actual : check.short !== actual.slice(0, 16)) {
        const whose = check.held ? "the checkpoint you hold" : "the signed checkpoint";
        const why = `the receipts up to ${size} are not those that ${whose} vouches for`;
        // Where a checkpoint from elsewhere disagrees, no signature in the bundle can be believed.
        const [seq, id] = check.held ? [Math.min(1, size), bundle.receipts[0]?.id] : [vouched + 1, suspect];
        return { status: "altered", seq, id, to: size, why };
      }
      vouched = size;
      suspect = undefined;
      if (!check.held) [sealed, sealedRoot] = [size, actual];
    }
    return undefined;
  };

  let found = compare(undefined);
  for (const receipt of bundle.receipts) {
    if (found) return found;
    const seq = size + 1;
    /** @param {string} why */
    const altered = (why) => ({ status: "altered", seq, id: receipt.id, why });
    if (receipt.unreadable !== undefined) return altered(receipt.unreadable);
    if (receipt.seq < seq)
      return altered(`it stands where receipt ${seq} belongs, but says it is receipt ${receipt.seq}`);
    if (receipt.seq > seq) return { status: "altered", seq, why: `receipt ${seq} is missing` };
    if (receipt.tenant !== bundle.tenant) return altered("it belongs to another log");
    const { hash, ...rest } = receipt;
    if (hex(`elwood.receipt.v1\n${canonical(rest)}`) !== hash)
      return altered("its content does not have its hash");
    if (receipt.prevHash !== prev) return altered("it does not follow the receipt before it");
    if (!flags.chainOnly && rotationOf(receipt)) {
      const wrong = wrongRotation(bundle.tenant, rotationOf(receipt), keyAt(seq - 1), sealed, sealedRoot);
      if (wrong) return altered(wrong);
    }
    prev = hash;
    let added = sha256(Buffer.concat([Buffer.from([0]), Buffer.from(hash, "hex")]));
    for (let rank = size; rank % 2 === 1; rank = Math.floor(rank / 2))
      added = node(/** @type {Buffer} */ (edge.pop()), added);
    edge.push(added);
    size = seq;
    suspect ??= receipt.id;
    found = compare(receipt.id);
  }
  if (found) return found;
  const beyond = expected.at(-1);
  if (beyond) {
    const whose = beyond.held ? "the checkpoint you hold" : "a stored checkpoint";
    const why = `${whose} vouches for ${beyond.size} receipts, and there are ${size}`;
    return { status: "truncated", size, expected: beyond.size, why };
  }
  for (const { commit, salt, value } of bundle.bodies) {
    if (hex(`${salt}\n${canonical(value)}`) === commit) continue;
    const of = bundle.receipts.find((/** @type {any} */ each) => canonical(each.payload).includes(commit));
    const why = `the content stored behind the commitment ${commit.slice(0, 16)}… is not what was recorded`;
    return { status: "altered", seq: of?.seq ?? 0, id: of?.id, why };
  }
  return { status: "intact", size, root: root(), sealedSize: sealed, unsealed: size - sealed };
}

/** @param {Uint8Array} left @param {Uint8Array} right */
function node(left, right) {
  return sha256(Buffer.concat([Buffer.from([1]), left, right]));
}

/** RFC 8785. @param {any} value @returns {string} */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** A signed note of three lines. @param {string} note */
function readNote(note) {
  const whole =
    /^((elwood\/[0-9a-f]{32}(?:\/[a-z0-9_-]{1,64})?)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n)\n((?:— [^ \n]+ [A-Za-z0-9+/=]+\n)+)$/;
  const parts = whole.exec(note);
  if (!parts) return undefined;
  const [, text = "", origin = "", size, root = "", lines = ""] = parts;
  const signatures = lines
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, name, encoded = ""] = line.split(" ");
      const bytes = Buffer.from(encoded, "base64");
      return { name, keyId: bytes.subarray(0, 4).toString("hex"), signature: bytes.subarray(4) };
    });
  return { text, origin, size: Number(size), root: Buffer.from(root, "base64").toString("hex"), signatures };
}

/** A public key, and the name that it gives the log. @param {import("node:crypto").KeyObject} key @param {string} tenant */
function keyOf(key, tenant) {
  const raw = key.export({ format: "der", type: "spki" }).subarray(-32);
  const logId = hex(raw).slice(0, 32);
  const origin = tenant === "default" ? `elwood/${logId}` : `elwood/${logId}/${tenant}`;
  const keyId = hex(Buffer.concat([Buffer.from(`${origin}\n`), Buffer.from([1]), raw])).slice(0, 8);
  return { key, raw: raw.toString("base64"), origin, keyId };
}

/** A key as a receipt names it. What is none stands for one that signed nothing. @param {unknown} encoded @param {string} tenant @returns {any} */
function claimedKey(encoded, tenant) {
  const raw = Buffer.from(String(encoded), "base64");
  if (raw.length !== 32) return { origin: "", keyId: "", raw: "" };
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]);
  return keyOf(createPublicKey({ key: der, format: "der", type: "spki" }), tenant);
}

/** @param {any} receipt */
function rotationOf(receipt) {
  const rotation = receipt.type === "log.checkpoint" ? receipt.payload?.rotation : undefined;
  return typeof rotation === "object" && rotation !== null ? rotation : undefined;
}

/** What is wrong with a change of key. @param {string} tenant @param {any} rotation @param {any} old @param {number} size @param {string} root */
function wrongRotation(tenant, rotation, old, size, root) {
  const fresh = claimedKey(rotation.to, tenant);
  if (old.origin === "" || fresh.origin === "" || rotation.from !== old.raw || rotation.to !== fresh.raw)
    return "it hands the log to another key than the one that follows";
  if (rotation.size !== size || rotation.root !== root) return "it was made for another state of the log";
  const text = Buffer.from(
    `elwood.rotation.v1\n${tenant}\n${size}\n${root}\n${rotation.from}\n${rotation.to}\n`,
  );
  const isBy = (/** @type {any} */ key, /** @type {unknown} */ signature) =>
    verify(null, text, key.key, Buffer.from(String(signature), "base64"));
  if (!isBy(old, rotation.signedByOld)) return "the old key did not sign that another follows it";
  if (!isBy(fresh, rotation.signedByNew)) return "the new key did not sign that it follows the old one";
  return undefined;
}

/** @param {any} note @param {any} by */
function signed(note, { origin, keyId, key }) {
  return (
    key !== undefined &&
    note.origin === origin &&
    note.signatures.some(
      (/** @type {any} */ each) =>
        each.name === origin &&
        each.keyId === keyId &&
        verify(null, Buffer.from(note.text), key, each.signature),
    )
  );
}

/** @param {string} target */
function readBundle(target) {
  if (!existsSync(target)) usage(`There is no ${target}`);
  if (!statSync(target).isDirectory()) {
    const {
      tenant,
      publicKey,
      receipts,
      checkpoints,
      bodies = [],
    } = JSON.parse(readFileSync(target, "utf8"));
    return { tenant, publicKey, receipts, checkpoints, bodies };
  }
  const lines = (/** @type {string} */ name) =>
    existsSync(join(target, name))
      ? readFileSync(join(target, name), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line))
      : [];
  const { tenant } = JSON.parse(readFileSync(join(target, "log.json"), "utf8"));
  return {
    tenant,
    publicKey: readFileSync(join(target, "public-key.pem"), "utf8"),
    receipts: lines("receipts.jsonl"),
    checkpoints: lines("checkpoints.jsonl"),
    bodies: lines("bodies.jsonl"),
  };
}

/** @param {string[]} args */
function readArguments(args) {
  /** @type {Record<string, any>} */
  const flags = {};
  let target = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--held" || arg === "--key") flags[arg.slice(2)] = args[++i] ?? usage(`${arg} needs a file`);
    else if (arg === "--strict" || arg === "--json") flags[arg.slice(2)] = true;
    else if (arg === "--chain-only") flags.chainOnly = true;
    else if (arg.startsWith("-")) usage(`There is no option ${arg}`);
    else target = arg;
  }
  return { target, flags };
}

/** @param {string} problem @returns {never} */
function usage(problem) {
  process.stderr.write(`${problem}. See the first lines of this file.\n`);
  process.exit(2);
}

/** @param {any} verdict */
function words(verdict) {
  if (verdict.status === "truncated") return `The log was cut: ${verdict.why}.`;
  if (verdict.status === "altered") {
    const id = verdict.id ? ` (${verdict.id})` : "";
    if (verdict.seq === 0) return `The log was altered: ${verdict.why}.`;
    const where = verdict.to
      ? `somewhere from receipt ${verdict.seq}${id} to ${verdict.to}`
      : `at receipt ${verdict.seq}${id}`;
    return `The log was altered ${where}: ${verdict.why}.`;
  }
  const tail =
    verdict.unsealed === 0
      ? ""
      : ` The last ${verdict.unsealed} are not yet under a signature: a change there could not be seen.`;
  return `All ${verdict.size} receipts are as they were written.${tail}`;
}
