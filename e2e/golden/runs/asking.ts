import { askOwner, choose, remove, write } from "../../recorded/exchanges/calls.ts";
import type { GoldenRun } from "../golden-run.ts";

/** Questions to the owner, and every way in which they end. */
export const ASKING: readonly GoldenRun[] = [
  {
    id: "asked-allowed",
    about: "a deletion asks, its card is looked at and allowed, and a second answer decides nothing",
    async play(r) {
      r.files({ "ask/old.txt": "old\n" });
      const key = await r.session();
      const runId = await r.send(key, "Tidy up a little.", [
        { calls: [remove("ask/old.txt")] },
        { text: "I deleted `ask/old.txt`." },
      ]);
      const { approvalId, confirm } = await r.asked(runId);
      await r.ask("approvals.get", { approvalId });
      await r.ask("exec.approve", { approvalId, ...(confirm === undefined ? {} : { confirm }) });
      await r.ended(key, runId);
      await r.ask("exec.deny", { approvalId, reason: "too late" });
      r.file("ask/old.txt");
    },
  },
  {
    id: "asked-denied",
    about: "a denial with a note: the model is given the note, and nothing is done",
    async play(r) {
      const key = await r.session();
      const runId = await r.send(key, "Save what you think is best.", [
        { calls: [write("ask/best.txt", "my own idea")] },
        { text: "You did not want that, so I wrote nothing." },
      ]);
      const { approvalId } = await r.asked(runId);
      await r.ask("exec.deny", { approvalId, reason: "Ask me first which folder." });
      await r.ended(key, runId);
      r.modelWasSent();
      r.file("ask/best.txt");
    },
  },
  {
    id: "asked-edited",
    about: "the owner allows something else than was asked for",
    async play(r) {
      const key = await r.session();
      const runId = await r.send(key, "Save a greeting somewhere.", [
        { calls: [write("ask/hi.txt", "hi")] },
        { text: "I saved the greeting." },
      ]);
      const { approvalId } = await r.asked(runId);
      const input = { path: "ask/hello.txt", content: "hello" };
      await r.ask("approvals.preview", { approvalId, input });
      await r.ask("approvals.preview", { approvalId, input: { path: 7 } });
      await r.ask("exec.approve", { approvalId, input, note: "friendlier" });
      await r.ended(key, runId);
      r.file("ask/hi.txt");
      r.file("ask/hello.txt");
    },
  },
  {
    id: "asked-granted",
    about: "a permission for a while covers the next call, until it is revoked",
    async play(r) {
      const key = await r.session();
      const laps = (name: string) => [{ calls: [write(name, "made up")] }, { text: `I wrote \`${name}\`.` }];
      const first = await r.send(key, "Make something up.", laps("one.txt"));
      const { approvalId } = await r.asked(first);
      await r.ask("exec.approve", {
        approvalId,
        decision: "window",
        window: { minutes: 60, scope: "similar" },
      });
      await r.ended(key, first);
      await r.run(key, "And again.", laps("two.txt"));
      const { grants } = (await r.result("grants.list")) as { grants: { grantId: string }[] };
      await r.ask("grants.revoke", { grantId: grants[0]?.grantId });
      const third = await r.send(key, "Once more.", laps("three.txt"));
      await r.ask("exec.deny", { approvalId: (await r.asked(third)).approvalId });
      await r.ended(key, third);
    },
  },
  {
    id: "asked-expired",
    about: "nobody answers in time",
    own: { config: "policy:\n  approvalExpiryHours: 0.0003\n" },
    async play(r) {
      r.files({ "late.txt": "still here\n" });
      const key = await r.session();
      const runId = await r.send(key, "Tidy up.", [
        { calls: [remove("late.txt")] },
        { text: "Nobody answered, so I left everything." },
      ]);
      const { approvalId } = await r.asked(runId);
      await r.ended(key, runId);
      await r.ask("exec.approve", { approvalId });
      await r.ask("approvals.get", { approvalId });
      r.file("late.txt");
    },
  },
  {
    id: "owner-asked",
    about: "two questions to the owner, one with a choice",
    async play(r) {
      const key = await r.session();
      const runId = await r.send(key, "Help me to decide.", [
        { calls: [choose("Tea or coffee?", "tea", "coffee")] },
        { calls: [askOwner("How much?")] },
        { text: "Two cups of coffee it is." },
      ]);
      for (const answer of ["coffee", "two cups"]) {
        const waiting = await r.wire.until(
          ({ event, data }) =>
            event === "owner.question" &&
            data?.["runId"] === runId &&
            (answer === "coffee" || data["question"] === "How much?"),
        );
        const { questionId } = waiting.data as { questionId: string };
        await r.ask("owner.answer", { questionId, answer });
        await r.ask("owner.answer", { questionId, answer: "neither" });
      }
      await r.ended(key, runId);
    },
  },
  {
    id: "asked-stopped",
    about: "a run that waits for its owner is stopped, and its question is withdrawn",
    async play(r) {
      const key = await r.session();
      const runId = await r.send(key, "Save something.", [
        { calls: [write("ask/stopped.txt", "x")] },
        { text: "never said" },
      ]);
      const { approvalId } = await r.asked(runId);
      await r.ask("chat.abort", { runId });
      await r.ended(key, runId);
      await r.ask("exec.approve", { approvalId });
    },
  },
];
