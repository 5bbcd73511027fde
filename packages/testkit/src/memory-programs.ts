import { fail } from "@elwood/core/base/failure";
import type { ProgramJournal, ProgramStart, ProgramStep } from "@elwood/runtime/ports/program-journal";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { copied, keyOf } from "./memory-state.ts";

/** A journal of programs in memory; it passes the same contract suite as that of the gateway. */
export function memoryPrograms(): ProgramJournal {
  const programs = new Map<string, { start: ProgramStart; steps: ProgramStep[] }>();
  const of = (tenant: string, callId: string) => {
    checkTenant(tenant);
    return programs.get(keyOf(tenant, callId));
  };
  return {
    async begin(tenant, start) {
      if (!of(tenant, start.callId))
        programs.set(keyOf(tenant, start.callId), { start: copied(start), steps: [] });
      return copied(of(tenant, start.callId)!);
    },
    async find(tenant, callId) {
      const found = of(tenant, callId);
      if (!found) return undefined;
      const steps = found.steps.toSorted((a, b) => a.index - b.index);
      return copied({ start: found.start, steps });
    },
    async intend(tenant, callId, step) {
      const found = of(tenant, callId) ?? fail("NOT_FOUND", `There is no program ${callId}.`);
      if (found.steps.some(({ index }) => index === step.index))
        fail("CONFLICT", "This request of the program was written down before.");
      found.steps.push(copied(step));
    },
    async settle(tenant, callId, { index, ...settled }) {
      const steps = of(tenant, callId)?.steps ?? [];
      const place = steps.findIndex((step) => step.index === index && step.settled === undefined);
      const answers = steps.filter((step) => step.settled !== undefined).length;
      if (place < 0 || settled.order !== answers)
        fail("CONFLICT", "This answer cannot be written down: it is there, or out of order.");
      steps[place] = { ...steps[place]!, settled: copied(settled) };
    },
    async drop(tenant, callId) {
      checkTenant(tenant);
      programs.delete(keyOf(tenant, callId));
    },
    async held(tenant) {
      checkTenant(tenant);
      return [...programs.keys()]
        .filter((key) => key.startsWith(`${tenant} `))
        .map((key) => key.slice(tenant.length + 1))
        .sort();
    },
  };
}
