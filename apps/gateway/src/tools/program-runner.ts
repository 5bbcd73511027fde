import { PROGRAM_LIMITS } from "@elwood/core/tool/program";
import { err, ok } from "@elwood/core/base/result";
import { verdictText } from "@elwood/runtime/programs/checker-port";
import { Programs } from "@elwood/runtime/programs/programs";
import { ProcessChecker } from "@elwood/isolation/checker/program-checker";
import { SandboxPool } from "@elwood/isolation/quickjs/pool";
import { sha256 } from "@elwood/platform/system";
import { findTools } from "./find-tools.ts";
import type { MakeProgramsDeps } from "./make-programs.ts";
import type { Declarations } from "./offer.ts";

/** Everything that programs need, once there is one. Its processes start with the first program still. */
export function makeRunner(
  deps: MakeProgramsDeps,
  declarations: Declarations,
): { readonly programs: Programs; close(): Promise<void> } {
  const { clock, log, toolSnapshot } = deps;
  const checker = new ProcessChecker({ clock, log });
  const sandbox = new SandboxPool({ clock, log });
  const programs = new Programs({
    ...deps,
    sha256,
    limits: PROGRAM_LIMITS,
    sandbox,
    async check(source, given) {
      const verdict = await checker.check({ source, declarations: declarations.of(given) });
      return verdict.ok ? ok(verdict) : err(verdictText(verdict));
    },
    find: (kind, input, toolIds) => findTools(kind, input, toolIds, toolSnapshot()),
  });
  return {
    programs,
    async close() {
      await Promise.all([checker.close(), sandbox.close()]);
    },
  };
}
