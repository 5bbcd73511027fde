/**
 * The process in which programs are checked. It is apart from the gateway because the
 * compiler waits, and because the type stripper can be broken for good by a source that is
 * nested deeply enough, and the gateway needs it itself. Nothing of a program is run here.
 */
import type { DeclaredTool } from "@elwood/runtime/programs/declarations";
import { LIMITS } from "@elwood/core/base/limits";
import { checkProgram, type CheckAnswer } from "./check-program.ts";
import { commandCompiler, warmCompiler, type Compiler } from "./compiler.ts";
import { serialQueue } from "@elwood/runtime/async/serial-queue";

export interface ToChecker {
  readonly id: number;
  readonly source: string;
  /** Left out where they are the same as last time. */
  readonly declarations?: { readonly text: string; readonly tools: readonly DeclaredTool[] };
}

export type FromChecker =
  | { readonly ready: true }
  | { readonly id: number; readonly answer: CheckAnswer }
  | { readonly id: number; readonly failed: string };

/** After so many failures of the warm compiler, the other one does all the work. */
const WARM_FAILURES_MAX = 3;

class Service {
  #declarations: NonNullable<ToChecker["declarations"]> = { text: "", tools: [] };
  #warm: Compiler | undefined;
  #failures: number;

  constructor(useWarm: boolean) {
    this.#failures = useWarm ? 0 : WARM_FAILURES_MAX;
  }

  async answer({ source, declarations }: Omit<ToChecker, "id">): Promise<CheckAnswer> {
    if (declarations) this.#declarations = declarations;
    const { text, tools } = this.#declarations;
    const request = { source, declarations: text, tools };
    if (this.#failures < WARM_FAILURES_MAX) {
      try {
        this.#warm ??= await warmCompiler();
        return checkProgram(request, this.#warm);
      } catch {
        // Its process may be gone. This program goes the slow way, the next one gets a new process.
        this.#failures += 1;
        this.#warm?.close();
        this.#warm = undefined;
      }
    }
    return checkProgram(request, await commandCompiler(LIMITS.programCheckMs));
  }
}

function say(message: FromChecker): void {
  process.send?.(message);
}

const service = new Service(process.argv[2] !== "command");
const queue = serialQueue();
void queue.run(async () => {
  await service.answer({ source: "const ready: number = 1; return ready;" });
  say({ ready: true });
});

process.on("message", (message: ToChecker) => {
  queue
    .run(() => service.answer(message))
    .then((answer) => say({ id: message.id, answer }))
    .catch((error: unknown) =>
      say({ id: message.id, failed: error instanceof Error ? error.message : "unknown" }),
    );
});
process.on("disconnect", () => process.exit());
