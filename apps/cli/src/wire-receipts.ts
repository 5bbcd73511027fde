import type { Command } from "commander";
import { systemClock } from "@elwood/platform/system";
import type { Wiring } from "./program.ts";
import type { ListOptions, ReceiptsDeps } from "./receipts-command.ts";
import { wholeNumber, withGateway } from "./wire-sessions.ts";

interface Json {
  readonly json?: boolean;
}

/** receipts …: all that read read the database itself, with or without a gateway beside them. */
export function addReceiptCommands(program: Command, wiring: Wiring): void {
  const receipts = program.command("receipts").description("what was done, and the proof of it");
  addReading(receipts, wiring);
  addProving(receipts, wiring);
  addKey(receipts, wiring);
}

function addReading(receipts: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  receipts
    .command("list", { isDefault: true })
    .description("receipts, newest first")
    .option("--run <run>", "only those of this run")
    .option("--call <call>", "only those of this call")
    .option("--tool <tool>", "only those of this tool")
    .option("--status <status>", "succeeded, failed, denied, expired, pending or unknown")
    .option("--since <time>", "from this time on: 2h, 7d, 2026-11-15")
    .option("--until <time>", "before this time")
    .option("-n, --limit <count>", "how many", wholeNumber)
    .option("--json", "print one JSON document")
    .action((options: Omit<ListOptions, "json"> & Json) =>
      run(options.json ?? false, async () => {
        const { listReceipts } = await import("./receipts-command.ts");
        return withReceipts(wiring, (deps) =>
          listReceipts(io, deps, { ...options, json: options.json ?? false }),
        );
      }),
    );
  receipts
    .command("show <receipt>")
    .description("one receipt whole, by its number or id")
    .option("--json", "print one JSON document")
    .action((receipt: string, options: Json) =>
      run(options.json ?? false, async () => {
        const { showReceipt } = await import("./receipts-command.ts");
        return withReceipts(wiring, (deps) =>
          showReceipt(io, deps, { receipt, json: options.json ?? false }),
        );
      }),
    );
  receipts
    .command("audit")
    .description("every tool run and auth event, oldest first")
    .option("--jsonl", "one JSON document a line")
    .option("--since <time>", "from this time on: 2h, 7d, 2026-11-15")
    .option("--until <time>", "before this time")
    .action((options: { jsonl?: boolean; since?: string; until?: string }) =>
      run(false, async () => {
        const { auditLog } = await import("./receipts-command.ts");
        return withReceipts(wiring, (deps) =>
          auditLog(io, deps, { ...options, jsonl: options.jsonl ?? false }),
        );
      }),
    );
}

const VERIFY_CODES = `
A held checkpoint is a signed one that you kept, a reply as JSON, an export
of a session as JSON, or the line that the page shows behind a reply:
receipts 1204 · 9f3a17c2e0b4d658

Exit codes: 0 intact · 10 altered · 11 cut, against a checkpoint ·
            12 with --strict: some are not signed yet`;

function addProving(receipts: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  receipts
    .command("verify")
    .description("check that no receipt was changed, removed or put in")
    .option("--held <file>", "a checkpoint that you kept elsewhere")
    .option("--key <file>", "a public key that you kept elsewhere")
    .option("--strict", "fail where some receipts are not signed yet")
    .option("--json", "print one JSON document")
    .addHelpText("after", VERIFY_CODES)
    .action((options: { held?: string; key?: string; strict?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { verifyStored } = await import("./receipts-proof-command.ts");
        const flags = { ...options, strict: options.strict ?? false, json: options.json ?? false };
        return wiring.working("Checking the receipts", (shown) =>
          withReceipts(wiring, (deps) => verifyStored(shown, deps, flags)),
        );
      }),
    );
  receipts
    .command("prove <receipt>")
    .description("a proof that this receipt is in the log, as JSON")
    .option("-o, --out <file>", "a file or folder; standard output where none is given")
    .option("--force", "overwrite the file")
    .action((receipt: string, options: { out?: string; force?: boolean }) =>
      run(false, async () => {
        const { proveStored } = await import("./receipts-proof-command.ts");
        return withReceipts(wiring, (deps) =>
          proveStored(io, deps, { ...options, receipt, force: options.force ?? false }),
        );
      }),
    );
  receipts
    .command("verify-proof <file>")
    .description("check such a proof; needs no database")
    .option("--key <file>", "the public key of the log it comes from")
    .option("--json", "print one JSON document")
    .action((file: string, options: { key?: string } & Json) =>
      run(options.json ?? false, async () => {
        const { verifyProof } = await import("./receipts-proof-command.ts");
        return withReceipts(wiring, (deps) =>
          verifyProof(io, deps, { ...options, file, json: options.json ?? false }),
        );
      }),
    );
  receipts
    .command("export")
    .description("the whole log with a verifier that needs nothing of Elwood's")
    .requiredOption("-o, --out <folder>", "a new folder, or a file that ends in .json")
    .option("--bodies", "with inputs and outputs, where they are still stored")
    .option("--force", "overwrite the file")
    .option("--json", "print one JSON document")
    .action((options: { out: string; bodies?: boolean; force?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { exportReceipts } = await import("./receipts-proof-command.ts");
        const { out, bodies = false, force = false, json = false } = options;
        return withReceipts(wiring, (deps) => exportReceipts(io, deps, { out, bodies, force, json }));
      }),
    );
}

/** The only one that changes something, and so the only one that a gateway must do. */
function addKey(receipts: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  receipts
    .command("rotate-key")
    .description("sign with a new key from now on; earlier signatures stay good")
    .option("-y, --yes", "do not ask")
    .option("--json", "print one JSON document")
    .action((options: { yes?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { rotateKey } = await import("./receipts-command.ts");
        return withGateway(wiring, ({ client }) =>
          rotateKey(io, { client }, { yes: options.yes ?? false, json: options.json ?? false }),
        );
      }),
    );
}

async function withReceipts(wiring: Wiring, work: (deps: ReceiptsDeps) => Promise<number>): Promise<number> {
  const { withStoredReceipts } = await import("./stored-receipts.ts");
  const { commandContext } = wiring;
  // Receipts can be read where the configuration cannot.
  const loaded = await commandContext.tryLoad();
  const timeZone = loaded.ok
    ? loaded.value.config.timeZone
    : new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return withStoredReceipts(await commandContext.paths(), (stored) =>
    work({ stored, clock: systemClock, timeZone }),
  );
}
