import { EXIT } from "./io.ts";

export type FaultKind = "uncaughtException" | "unhandledRejection";
export type ReportFault = (error: unknown, kind: FaultKind) => void;

/** Of a process, what this needs. */
export interface FaultSource {
  on(event: FaultKind, listener: (error: unknown) => void): unknown;
  exit(code: number): unknown;
}

/**
 * What to do with a fault that nothing caught. Node would print it with its stack and everything in it.
 *
 * F1 It is reported once, by whoever reports at that time: the log of a gateway, which leaves secrets out,
 *    or else the command line's words for a bug.
 * F2 The process ends at once with a code that says so. Nothing is tidied up in a state that nobody
 *    understands: to the next start this is a crash like any other, and it goes on from what was stored.
 */
export class Faults {
  readonly #process: FaultSource;
  #report: ReportFault;
  #over = false;

  constructor(source: FaultSource, report: ReportFault) {
    this.#process = source;
    this.#report = report;
    for (const kind of ["uncaughtException", "unhandledRejection"] as const)
      source.on(kind, (error) => this.#end(error, kind));
  }

  /** From now on faults are reported here. */
  reportTo(report: ReportFault): void {
    this.#report = report;
  }

  #end(error: unknown, kind: FaultKind): void {
    if (this.#over) return;
    this.#over = true;
    try {
      this.#report(error, kind);
    } finally {
      this.#process.exit(EXIT.failed);
    }
  }
}
