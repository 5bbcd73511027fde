import { parseJson } from "@elwood/core/base/parse-json";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { extname, resolve } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { receiptProofSchema } from "@elwood/core/protocol/receipt-shapes";
import { CALL_WORDS } from "@elwood/core/base/state-words";
import { exportDocument, exportFolder } from "@elwood/store-sqlite/receipts/export";
import { logKey } from "@elwood/store-sqlite/receipts/log-key";
import { proofProblem, proveReceipt } from "@elwood/store-sqlite/receipts/prove";
import { verdictWords, VERIFY_EXIT, verifyExit, verifyReceipts } from "@elwood/store-sqlite/receipts/verify";
import { EXIT, type Io } from "./io.ts";
import { markOf, paintFor } from "./paint.ts";
import type { ReceiptsDeps } from "./receipts-command.ts";
import { readSavedHead, readSmall } from "./stored-receipts.ts";
import { writeOutput } from "./write-output.ts";
import { gatewayText, say, sayCount } from "./words/say.ts";

export interface VerifyFlags {
  /** A checkpoint kept elsewhere: a signed note, a reply as JSON, or the line that the page shows. */
  readonly held?: string;
  /** A public key kept elsewhere. */
  readonly key?: string;
  readonly strict: boolean;
  readonly json: boolean;
}

/** `elwood receipts verify`: 0 intact · 10 altered · 11 truncated · 12 strict with an unsealed tail. */
export async function verifyStored(io: Io, deps: ReceiptsDeps, flags: VerifyFlags): Promise<number> {
  const held = flags.held === undefined ? undefined : readSavedHead(resolve(io.cwd, flags.held));
  const verdict = await verifyReceipts(deps.stored.log, {
    tenant: DEFAULT_TENANT,
    publicPem: publicKey(io, deps, flags.key),
    ...(held === undefined ? {} : { held }),
    ...(deps.stored.lastSigned === undefined ? {} : { lastSigned: deps.stored.lastSigned }),
    conversations: deps.stored.conversations,
  });
  const code = verifyExit(verdict, flags.strict);
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ ...verdict, words: verdictWords(verdict), exitCode: code })}\n`);
    return code;
  }
  const paint = paintFor(io);
  const mark = markOf(paint, code === VERIFY_EXIT.intact ? CALL_WORDS.succeeded : CALL_WORDS.failed);
  io.stdout.write(`${mark} ${gatewayText(io, verdictWords(verdict))}\n`);
  const seen = `${sayCount(io, verdict.checkpoints, "1 signed checkpoint", "{0} signed checkpoints")}, ${sayCount(io, verdict.bodies, "1 stored content", "{0} stored contents")}`;
  io.stdout.write(
    `  ${paint("dim", say(io, "Checked with {0}{1}.", seen, held ? ` ${say(io, "and the checkpoint you hold")}` : ""))}\n`,
  );
  if (verdict.status === "intact" && held === undefined && verdict.size > 0) {
    const hint = say(
      io,
      "That nothing was cut off can only be told with a checkpoint kept elsewhere (--held): any reply that made a call carries one.",
    );
    io.stdout.write(`  ${paint("dim", hint)}\n`);
  }
  return code;
}

/** `elwood receipts prove <receipt>`: the proof as one JSON document. */
export async function proveStored(
  io: Io,
  deps: ReceiptsDeps,
  options: { readonly receipt: string; readonly out?: string; readonly force: boolean },
): Promise<number> {
  const proof = proveReceipt(deps.stored.log, deps.stored.find(options.receipt));
  const content = `${JSON.stringify(proof, null, 2)}\n`;
  if (options.out === undefined) {
    io.stdout.write(content);
    return EXIT.ok;
  }
  const file = { output: options.out, filename: `${proof.receipt.id}.proof.json`, mode: 0o600 };
  const path = await writeOutput(io, content, { ...file, overwrite: options.force });
  io.stderr.write(`${say(io, "Wrote {0}", path)}\n`);
  return EXIT.ok;
}

/** `elwood receipts verify-proof <file>`: needs the public key, and nothing else of Elwood's. */
export async function verifyProof(
  io: Io,
  deps: ReceiptsDeps,
  options: { readonly file: string; readonly key?: string; readonly json: boolean },
): Promise<number> {
  const proof = safelyParse(receiptProofSchema, parseJson(readSmall(resolve(io.cwd, options.file))));
  if (!proof.success) fail("INVALID_INPUT", `${options.file} is not a proof of a receipt.`);
  const { receipt, size } = proof.data;
  const publicPem = publicKey(io, deps, options.key);
  if (publicPem === undefined)
    return fail("NOT_FOUND", "There is no public key to check the proof with. Name one with --key.");
  const problem = proofProblem(proof.data, logKey(publicPem, receipt.tenant));
  const code = problem === undefined ? VERIFY_EXIT.intact : VERIFY_EXIT.altered;
  if (options.json) {
    io.stdout.write(
      `${JSON.stringify({ holds: problem === undefined, ...(problem ? { problem } : {}), id: receipt.id })}\n`,
    );
    return code;
  }
  const words =
    problem === undefined
      ? say(io, "Receipt {0} ({1}) is one of the {2} that were signed.", receipt.seq, receipt.id, size)
      : say(io, "This proves nothing: {0}.", problem);
  io.stdout.write(`${words}\n`);
  return code;
}

/** `elwood receipts export --out <folder or file.json>` */
export async function exportReceipts(
  io: Io,
  deps: ReceiptsDeps,
  options: {
    readonly out: string;
    readonly bodies: boolean;
    readonly force: boolean;
    readonly json: boolean;
  },
): Promise<number> {
  const { log, publicPem } = deps.stored;
  if (publicPem === undefined)
    return fail("NOT_FOUND", "There are no receipts yet, so there is nothing to export.");
  const choices = { tenant: DEFAULT_TENANT, publicPem, bodies: options.bodies, at: deps.clock.now() };
  if (extname(options.out) === ".json") {
    const document = await exportDocument(log, choices);
    const file = { output: options.out, filename: "receipts.json", mode: 0o600, overwrite: options.force };
    const path = await writeOutput(io, document, file);
    return told(io, options.json, { path, receipts: log.size(DEFAULT_TENANT) });
  }
  return told(io, options.json, await exportFolder(log, resolve(io.cwd, options.out), choices));
}

function told(io: Io, json: boolean, exported: { readonly path: string; readonly receipts: number }): number {
  if (json) io.stdout.write(`${JSON.stringify(exported)}\n`);
  else {
    const check = exported.path.endsWith(".json")
      ? ""
      : ` ${say(io, "Check them anywhere: node {0}/verify.mjs", exported.path)}`;
    io.stdout.write(
      `${say(io, "Wrote {0} to {1}.{2}", sayCount(io, exported.receipts, "1 receipt", "{0} receipts"), exported.path, check)}\n`,
    );
  }
  return EXIT.ok;
}

function publicKey(io: Io, deps: ReceiptsDeps, named: string | undefined): string | undefined {
  return named === undefined ? deps.stored.publicPem : readSmall(resolve(io.cwd, named));
}
