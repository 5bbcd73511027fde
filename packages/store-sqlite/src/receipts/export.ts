import { mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { fail } from "@elwood/core/base/failure";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Unreadable } from "@elwood/core/receipts/verify-log";
import type { ReceiptLog } from "../receipt-log.ts";

export interface ExportOptions {
  readonly tenant: string;
  readonly publicPem: string;
  /** Inputs and outputs themselves, beside the receipts that commit to them. */
  readonly bodies: boolean;
  readonly at: number;
}

export interface Exported {
  readonly path: string;
  readonly receipts: number;
  readonly checkpoints: number;
  readonly bodies: number;
}

const FORMAT = { format: "elwood.receipts", v: 1 } as const;
const VERIFIER = new URL("./verify-bundle.mjs", import.meta.url);

/**
 * The whole log in a form that outlives Elwood: receipts a line each, every checkpoint, the
 * public key, and a verifier in one file. A log that was tampered with is exported as it
 * is, and the verifier says so.
 */
export async function exportFolder(
  log: ReceiptLog,
  folder: string,
  options: ExportOptions,
): Promise<Exported> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    fail("CONFLICT", `${folder} is not empty. Nothing was written; name a new folder.`);
  const { tenant, publicPem, at } = options;
  // Before the receipts: what is sealed meanwhile belongs to the next export.
  const checkpoints = checkpointsOf(log, tenant);
  await lines(join(folder, "checkpoints.jsonl"), [checkpoints]);
  const receipts = await lines(join(folder, "receipts.jsonl"), log.pages(tenant));
  const bodies = options.bodies ? await lines(join(folder, "bodies.jsonl"), log.bodies(tenant)) : 0;
  const head = { ...FORMAT, tenant, exportedAt: new Date(at).toISOString(), receipts };
  await write(join(folder, "log.json"), `${JSON.stringify(head, null, 2)}\n`);
  await write(join(folder, "public-key.pem"), publicPem);
  await write(join(folder, "verify.mjs"), await readFile(VERIFIER, "utf8"));
  return { path: folder, receipts, checkpoints: checkpoints.length, bodies };
}

/** The same as one JSON document; `verifier` is the text of verify.mjs. */
export async function exportDocument(log: ReceiptLog, options: ExportOptions): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of documentPieces(log, options)) pieces.push(piece);
  return pieces.join("");
}

/** That document a page of the log at a time, for those who pass it on: however long the log, little of it is in memory. */
export async function* documentPieces(log: ReceiptLog, options: ExportOptions): AsyncGenerator<string> {
  const { tenant, publicPem, at } = options;
  const exportedAt = new Date(at).toISOString();
  // Before the receipts: what is sealed meanwhile belongs to the next export.
  const checkpoints = checkpointsOf(log, tenant);
  const head = { ...FORMAT, tenant, exportedAt, publicKey: publicPem, checkpoints };
  yield `${JSON.stringify(head, null, 1).slice(0, -"\n}".length)},\n`;
  yield* listPieces("receipts", log.pages(tenant));
  if (options.bodies) yield* listPieces("bodies", log.bodies(tenant));
  yield ` "verifier": ${JSON.stringify(await readFile(VERIFIER, "utf8"))}\n}\n`;
}

function* listPieces(name: string, pages: Iterable<readonly object[]>): Generator<string> {
  yield ` "${name}": [`;
  let begun = false;
  for (const page of pages) {
    const items = page.map((each) => `\n  ${JSON.stringify(each)}`);
    if (items.length > 0) yield `${begun ? "," : ""}${items.join(",")}`;
    begun ||= items.length > 0;
  }
  yield `${begun ? "\n " : ""}],\n`;
}

function checkpointsOf(log: ReceiptLog, tenant: string) {
  return log
    .checkpoints(tenant)
    .map(({ size, at, reason, note }) => ({ size, at: new Date(at).toISOString(), reason, note }));
}

async function lines(
  path: string,
  pages: Iterable<readonly (StoredReceipt | Unreadable | object)[]>,
): Promise<number> {
  const file = await open(path, "wx", 0o600);
  let count = 0;
  try {
    for (const page of pages) {
      await file.write(page.map((each) => `${canonicalJson(each)}\n`).join(""));
      count += page.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return count;
}

async function write(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flag: "wx" });
}
