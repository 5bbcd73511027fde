import type { Redactor } from "@elwood/core/base/redact";
import type { ToolSnapshot, Vault } from "@elwood/runtime/ports/gate-ports";
import type { BlobStore, Clock, Log } from "@elwood/runtime/ports/ports";
import type { ProgramJournal } from "@elwood/runtime/ports/program-journal";
import type { ProgramRunner } from "@elwood/runtime/ports/program-runner";
import type { DryRunDeps } from "@elwood/runtime/programs/dry-run";
import { sha256 } from "@elwood/platform/system";
import { Declarations } from "./offer.ts";

export interface MakeProgramsDeps {
  readonly journal: ProgramJournal;
  readonly blobs: BlobStore;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly timeZone: string;
  readonly log: Log;
  readonly redact: Redactor;
  readonly verdictFor: DryRunDeps["verdictFor"];
  readonly seed: () => string;
  /** The tools there are now. */
  readonly toolSnapshot: () => ToolSnapshot;
}

export interface MadePrograms {
  readonly programs: ProgramRunner;
  readonly declarations: Declarations;
  close(): Promise<void>;
}

/** Programs. The pool of processes and the checker are loaded with the first one: most conversations have none. */
export function makePrograms(deps: MakeProgramsDeps): MadePrograms {
  const declarations = new Declarations(sha256);
  let made: Promise<ReturnType<typeof import("./program-runner.ts").makeRunner>> | undefined;
  const runner = async () => {
    made ??= import("./program-runner.ts").then(({ makeRunner }) => makeRunner(deps, declarations));
    return (await made).programs;
  };
  return {
    declarations,
    programs: {
      check: async (...args) => (await runner()).check(...args),
      run: async (...args) => (await runner()).run(...args),
      dryRun: async (...args) => (await runner()).dryRun(...args),
      drop: async (...args) => (await runner()).drop(...args),
      async sweep(tenant, open) {
        if ((await deps.journal.held(tenant)).length > 0) await (await runner()).sweep(tenant, open);
      },
    },
    async close() {
      await (await made)?.close();
    },
  };
}
