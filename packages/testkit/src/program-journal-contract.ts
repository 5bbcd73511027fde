import type { ProgramJournal, ProgramStart, ProgramStep } from "@elwood/runtime/ports/program-journal";
import { describe, expect, test } from "vitest";
import { failsWith, TENANT } from "./store-script.ts";

export interface ProgramJournalHarness {
  readonly journal: ProgramJournal;
  /** The same, as the next process finds it. */
  readonly reopen: () => Promise<ProgramJournal>;
  dispose(): Promise<void>;
}

/** What every ProgramJournal does. Run by each implementation. */
export function programJournalContract(name: string, open: () => Promise<ProgramJournalHarness>): void {
  const start: ProgramStart = {
    callId: "call_1",
    runId: "run_1",
    startedAt: 1_000,
    seed: "s",
    javascript: "return 'ä\\u0000\u{1f600}';",
    toolIds: ["a.b.c", "d.e.f"],
    sourceHash: "h1",
    declarationsHash: "h2",
  };
  const step = (index: number): Omit<ProgramStep, "settled"> => ({
    index,
    kind: "tool",
    requestHash: `r${index}`,
    at: 1_001 + index,
  });
  const answer = (index: number, order: number) => ({
    index,
    order,
    at: 2_000,
    result: { ok: true as const, value: { n: [index, null, "x"] } },
  });
  const conflict = failsWith("CONFLICT");
  const withJournal = (work: (harness: ProgramJournalHarness) => Promise<void>) => async () => {
    const harness = await open();
    try {
      await work(harness);
    } finally {
      await harness.dispose();
    }
  };

  describe(`OA-1: ProgramJournal: ${name}`, () => {
    test(
      "keeps a program and what it asked for, with the order of the answers, over a restart",
      withJournal(async ({ journal, reopen }) => {
        expect(await journal.begin(TENANT, start)).toEqual({ start, steps: [] });
        await journal.intend(TENANT, "call_1", step(0));
        await journal.intend(TENANT, "call_1", { ...step(1), kind: "sleep" });
        await journal.intend(TENANT, "call_1", step(2));
        await journal.settle(TENANT, "call_1", answer(2, 0));
        await journal.settle(TENANT, "call_1", answer(0, 1));
        const again = await reopen();
        const { index: _two, ...second } = answer(2, 0);
        const { index: _none, ...first } = answer(0, 1);
        expect(await again.find(TENANT, "call_1")).toEqual({
          start,
          steps: [
            { ...step(0), settled: first },
            { ...step(1), kind: "sleep" },
            { ...step(2), settled: second },
          ],
        });
      }),
    );

    test(
      "begins a program once: asked again it answers what was written then",
      withJournal(async ({ journal }) => {
        await journal.begin(TENANT, start);
        await journal.intend(TENANT, "call_1", step(0));
        const again = await journal.begin(TENANT, { ...start, seed: "other", javascript: "" });
        expect(again).toEqual({ start, steps: [step(0)] });
      }),
    );

    test(
      "takes each request and each answer once, and answers only in their order",
      withJournal(async ({ journal }) => {
        await journal.begin(TENANT, start);
        await journal.intend(TENANT, "call_1", step(0));
        await journal.intend(TENANT, "call_1", step(1));
        await expect(journal.intend(TENANT, "call_1", step(0))).rejects.toMatchObject(conflict);
        await expect(journal.settle(TENANT, "call_1", answer(0, 1))).rejects.toMatchObject(conflict);
        await expect(journal.settle(TENANT, "call_1", answer(7, 0))).rejects.toMatchObject(conflict);
        await journal.settle(TENANT, "call_1", answer(1, 0));
        await expect(journal.settle(TENANT, "call_1", answer(1, 1))).rejects.toMatchObject(conflict);
        await expect(journal.settle(TENANT, "call_1", answer(0, 0))).rejects.toMatchObject(conflict);
        await expect(journal.intend(TENANT, "call_2", step(0))).rejects.toMatchObject(failsWith("NOT_FOUND"));
      }),
    );

    test(
      "forgets a program that has ended, and keeps those of another tenant apart",
      withJournal(async ({ journal }) => {
        await journal.begin(TENANT, start);
        await journal.intend(TENANT, "call_1", step(0));
        await journal.begin("other", start);
        expect(await journal.held(TENANT)).toEqual(["call_1"]);
        await journal.drop(TENANT, "call_1");
        await journal.drop(TENANT, "call_1");
        expect(await journal.held(TENANT)).toEqual([]);
        expect(await journal.find(TENANT, "call_1")).toBeUndefined();
        expect(await journal.find("other", "call_1")).toEqual({ start, steps: [] });
      }),
    );
  });
}
