import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActivityItem } from "../tool/activity.ts";
import { LOCALES } from "../request/language.ts";
import { CALL_STATUSES, RISKS } from "../tool/tool.ts";
import { evidenceLines, notDone, notDoneItems } from "./evidence.ts";

const item = (n: number, of: Partial<ActivityItem> = {}): ActivityItem => ({
  cite: `c${n}`,
  callId: `call-${n}`,
  toolId: "email.message.send",
  status: "succeeded",
  risk: "write",
  when: n,
  receiptRef: `r${n}`,
  summary: "",
  ...of,
});
const asked = { required: true, decision: "approved" as const };
const anyActivity = fc
  .array(
    fc.record({
      toolId: fc.constantFrom("email.message.send", "files.file.read", "bank.transfer.create"),
      status: fc.constantFrom(...CALL_STATUSES),
      risk: fc.constantFrom(...RISKS),
      target: fc.string({ unit: "grapheme", maxLength: 300 }),
    }),
    { maxLength: 60 },
  )
  .map((all) => all.map((of, n) => item(n + 1, of)));

describe("the evidence", () => {
  test("OA-5: is nothing where no call ran and nothing is marked", () => {
    expect(evidenceLines([], 0)).toEqual([]);
  });

  test("OA-5: tells effects by verb and target, those that ran unasked first", () => {
    expect(
      evidenceLines(
        [
          item(1, { toolId: "files.file.delete", target: "old.md", approval: asked }),
          item(2, { toolId: "files.file.write", target: "a.md" }),
          item(3, { toolId: "files.file.write", target: "b.md" }),
        ],
        0,
      ),
    ).toEqual(["✓ Wrote a.md, b.md · ✓ Deleted old.md"]);
  });

  test("OA-5: names every host that data went to, whether or not the call succeeded", () => {
    const hosts = Array.from({ length: 12 }, (_, n) =>
      item(n + 1, {
        toolId: "web.page.fetch",
        risk: "read",
        target: `https://h${n}.example/x?q=1`,
        status: n === 3 ? "failed" : n === 4 ? "denied" : "succeeded",
      }),
    );
    const [line] = evidenceLines(hosts, 0);
    for (const n of [0, 1, 2, 3, 5, 11]) expect(line).toContain(`h${n}.example`);
    expect(line).not.toContain("h4.example");
  });

  test("OA-5: names the hosts of a service's tool, whose reads are none of this machine", () => {
    const hosts = ["https://cal.example:5232"];
    const listed = item(1, { toolId: "calendar.event.list", risk: "read", target: "calendar", hosts });
    const deleted = item(2, { toolId: "calendar.event.delete", target: "Dentist", hosts });
    expect(evidenceLines([listed, deleted], 0)).toEqual([
      "✓ Deleted Dentist",
      "Data went to cal.example:5232",
    ]);
  });

  test("OA-5: local reads are a number; a program, its rehearsal and questions are none", () => {
    const read = { toolId: "files.file.read", risk: "read" } as const;
    expect(
      evidenceLines(
        [
          item(1, read),
          item(2, { ...read, parent: "call-4" }),
          item(3, { ...read, rehearsal: true }),
          item(4, { toolId: "program.code.run", risk: "read" }),
          item(5, { toolId: "owner.question.ask", risk: "read" }),
          item(6, { ...read, status: "failed" }),
          // They look nothing up.
          item(7, { toolId: "workspace.tool.check", risk: "read" }),
          item(8, { toolId: "text.words.count", risk: "read" }),
        ],
        0,
      ),
    ).toEqual(["2 local reads"]);
  });

  test("OA-5: a command that ended with another code than 0 is told as that", () => {
    const ran = { toolId: "shell.command.run", target: "npm test", exitCode: 1 } as const;
    expect(evidenceLines([item(1, ran)], 0)).toEqual(["↯ Ran npm test (ended with code 1)"]);
    expect(notDone([item(1, ran)])).toEqual([]);
  });

  test("what was undone since says so, and the same effect twice is a number", () => {
    expect(
      evidenceLines(
        [item(1, { target: "x", undone: true }), item(2, { target: "y" }), item(3, { target: "y" })],
        0,
      ),
    ).toEqual(["✓ Sent x (undone since), y ×2"]);
  });

  test("OA-5: has at most three lines, in every language, and none of the targets' own glyphs or lines", () => {
    fc.assert(
      fc.property(
        anyActivity,
        fc.nat({ max: 5 }),
        fc.constantFrom(...LOCALES),
        (activity, marked, locale) => {
          const lines = evidenceLines(activity, marked, locale);
          expect(lines.length).toBeLessThanOrEqual(3);
          for (const line of lines) expect(line).not.toContain("\n");
          if (activity.length === 0 && marked === 0) expect(lines).toEqual([]);
        },
      ),
    );
  });
});

describe("what is not done in the end", () => {
  test("OA-5: every effect that did not come about has its sentence", () => {
    fc.assert(
      fc.property(anyActivity, (activity) => {
        const sentences = notDone(activity);
        for (const { way } of notDoneItems(activity)) expect(way).not.toBe("succeeded");
        const open = activity.filter(({ status, risk }) => status !== "succeeded" && risk !== "read");
        if (open.length > 0 && activity.every(({ status }) => status !== "succeeded"))
          expect(sentences.length).toBeGreaterThan(0);
        for (const sentence of sentences) expect(sentence).toMatch(/^◈ [^\n]+$/u);
      }),
    );
  });

  test("a failure that a later call made good is none", () => {
    const failed = item(1, { toolId: "files.file.edit", target: "a.md", status: "failed" });
    expect(notDone([failed, item(2, { toolId: "files.file.edit", target: "a.md" })])).toEqual([]);
    expect(notDone([failed, item(2, { toolId: "files.file.write", target: "a.md" })])).toEqual([]);
    expect(notDone([failed, item(2, { toolId: "files.file.edit", target: "b.md" })])).toHaveLength(1);
    expect(
      notDone([failed, item(2, { toolId: "files.file.read", risk: "read", target: "a.md" })]),
    ).toHaveLength(1);
    // Whatever the order in which they are handed over.
    expect(notDone([item(2, { toolId: "files.file.edit", target: "a.md" }), failed])).toEqual([]);
  });

  test("a move that went elsewhere in the end is done", () => {
    const move = { toolId: "files.file.move" } as const;
    expect(
      notDone([
        item(1, { ...move, target: "scan 2.pdf to invoice.pdf", status: "failed" }),
        item(2, { ...move, target: "scan 2.pdf to invoice-2.pdf" }),
      ]),
    ).toEqual([]);
  });

  test("a denial is the owner's, a rule's, or the stop of a run", () => {
    const denied = { toolId: "files.file.delete", target: "a.md", status: "denied" } as const;
    const by = { kind: "owner", id: "owner", surface: "web" } as const;
    const decided = { required: true, decision: "denied", by } as const;
    expect(notDone([item(1, { ...denied, approval: decided })])).toEqual([
      "◈ Not done, you said no: delete file → a.md.",
    ]);
    expect(notDone([item(1, denied)])).toEqual(["◈ Not done, blocked by rule: delete file → a.md."]);
    for (const rule of [{ kind: "policy", rule: "files.delete" }, { kind: "none" }] as const)
      expect(
        notDone([item(1, { ...denied, approval: { required: true, decision: "denied", by: rule } })]),
      ).toEqual(["◈ Not done, blocked by rule: delete file → a.md."]);
    const changed = { kind: "policy", rule: "gate.changed" } as const;
    expect(
      notDone([item(1, { ...denied, approval: { required: true, decision: "denied", by: changed } })]),
    ).toEqual(["◈ Not done, it had changed after you allowed it: delete file → a.md."]);
    expect(notDone([item(1, { ...denied, approval: decided, stopped: true })])).toEqual([
      "◈ Not done, you stopped it: delete file → a.md.",
    ]);
    const noted = { ...denied, approval: { ...decided, noted: true } } as const;
    expect(notDone([item(1, noted), item(2, { toolId: "files.file.move", target: "a.md" })])).toEqual([]);
    expect(notDone([item(1, noted)])).toHaveLength(1);
  });

  test("a program that was not run is told by its list, until each call on it was made", () => {
    const by = { kind: "owner", id: "owner", surface: "web" } as const;
    const denied = item(1, {
      toolId: "program.code.run",
      target: "write a.md, delete b.md",
      status: "denied",
      approval: { required: true, decision: "denied", by },
    });
    const write = item(2, { toolId: "files.file.write", target: "a.md" });
    const told = ["◈ Not done, you said no: run program code → write a.md, delete b.md."];
    expect(notDone([denied])).toEqual(told);
    expect(notDone([denied, write])).toEqual(told);
    expect(notDone([denied, write, item(3, { toolId: "files.file.delete", target: "b.md" })])).toEqual([]);
    const noted = { ...denied, approval: { required: true, decision: "denied", by, noted: true } } as const;
    expect(notDone([noted, write])).toEqual([]);
  });

  test("questions, rehearsals and look-ups that failed are no effects; a look-up that waits is news", () => {
    expect(
      notDone([
        item(1, { toolId: "owner.question.ask", status: "expired" }),
        item(2, { rehearsal: true, status: "failed" }),
        item(3, { risk: "read", status: "failed" }),
        item(4, { risk: "read", status: "denied" }),
      ]),
    ).toEqual([]);
    expect(notDone([item(1, { risk: "read", status: "pending" })])).toHaveLength(1);
  });

  test("many of one kind are one sentence that counts them all", () => {
    const many = Array.from({ length: 9 }, (_, n) => item(n + 1, { status: "failed", target: `t${n}` }));
    expect(notDone(many)).toEqual([
      "◈ Not done, it failed: send email message → t0, send email message → t1, send email message → t2, and 6 more.",
    ]);
  });
});
