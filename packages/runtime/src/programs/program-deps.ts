import type { CallResult, ProgramLimits } from "@elwood/core/tool/program";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { Redactor } from "@elwood/core/base/redact";
import type { BlobStore, Clock } from "../ports/ports.ts";
import type { ProgramCallPort } from "./execution.ts";
import type { ProgramJournal } from "./journal.ts";
import type { Sandbox } from "./ports.ts";

/** Everything that an execution works with. */
export interface ProgramDeps {
  readonly sandbox: Sandbox;
  readonly journal: ProgramJournal;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly sha256: Sha256;
  /** The owner's, IANA: their days and hours are those of programs. */
  readonly timeZone: string;
  readonly limits: ProgramLimits;
  readonly redact: Redactor;
  /** The gate. */
  readonly callPort: ProgramCallPort;
  /** Answers `tools.search` and `tools.describe`. */
  readonly find: (kind: "search" | "describe", input: unknown, toolIds: readonly string[]) => CallResult;
}
