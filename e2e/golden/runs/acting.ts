import type { GoldenRun } from "../golden-run.ts";
import {
  edit,
  list,
  move,
  program,
  read,
  remove,
  run,
  search,
  write,
} from "../../recorded/exchanges/calls.ts";

const THREE = `for (const name of ["a", "b", "c"])
  must(await tools.files.file.write({ path: "made/" + name + ".txt", content: "of " + name }));
return "three files";`;

/** Calls of tools, and what becomes of them. */
export const ACTING: readonly GoldenRun[] = [
  {
    id: "files-read",
    about: "files are listed, read and searched without a question",
    async play(r) {
      r.files({ "read/notes.txt": "buy milk\ncall Ada\n", "read/more.md": "# More\nAda again\n" });
      const key = await r.session();
      const runId = await r.run(key, "What do I have about Ada?", [
        { text: "I will look.", calls: [list("read"), search("Ada", "read")] },
        { calls: [read("read/notes.txt")] },
        { text: "Two files mention Ada: `read/notes.txt` and `read/more.md`." },
      ]);
      r.modelWasSent();
      await r.ask("calls.list", { runId });
    },
  },
  {
    id: "files-written",
    about: "a file that the owner named with its text is written unasked, and its call is shown whole",
    async play(r) {
      const key = await r.session();
      const runId = await r.run(key, "Write 'milk, bread' into written/list.txt, please.", [
        { calls: [write("written/list.txt", "milk, bread")] },
        { text: "I wrote `written/list.txt`." },
      ]);
      r.file("written/list.txt");
      const { calls } = (await r.wire.result("calls.list", { runId })) as { calls: { callId: string }[] };
      await r.ask("calls.get", { callId: calls[0]?.callId });
      await r.ask("sessions.files", { sessionKey: key });
    },
  },
  {
    id: "files-edited-and-moved",
    about: "an edit and a move that the owner asked for",
    async play(r) {
      r.files({ "change/plan.txt": "Monday: tea\nTuesday: coffee\n" });
      const key = await r.session();
      const runId = await r.send(
        key,
        "In change/plan.txt put cocoa for tea, then move it to change/week.txt.",
        [
          { calls: [edit("change/plan.txt", "Monday: tea", "Monday: cocoa")] },
          { calls: [move("change/plan.txt", "change/week.txt")] },
          { text: "I edited the plan and moved it to `change/week.txt`." },
        ],
      );
      await allowAll(r, runId);
      await r.ended(key, runId);
      r.file("change/plan.txt");
      r.file("change/week.txt");
    },
  },
  {
    id: "files-failed-then-mended",
    about: "a call that fails, and the one that mends it",
    async play(r) {
      r.files({ "mend/a.txt": "one\ntwo\n" });
      const key = await r.session();
      const runId = await r.send(key, "Change two to three in mend/a.txt.", [
        { calls: [edit("mend/a.txt", "zwei", "three")] },
        { calls: [read("mend/a.txt")] },
        { calls: [edit("mend/a.txt", "two", "three")] },
        { text: "It says three now." },
      ]);
      await allowAll(r, runId);
      await r.ended(key, runId);
      r.file("mend/a.txt");
    },
  },
  {
    id: "calls-malformed",
    about: "a tool that is not there, an input that does not fit and arguments that are no JSON",
    async play(r) {
      const key = await r.session();
      await r.run(key, "Do something odd.", [
        {
          calls: [
            { tool: "files.file.sing", input: {} },
            { tool: "files.file.read", input: { pth: "x" } },
            { tool: "files.file.read", json: '{"path": ' },
          ],
        },
        { calls: [read("../../etc/passwd"), read("not/there.txt")] },
        { text: "None of that worked." },
      ]);
      r.modelWasSent();
    },
  },
  {
    id: "claim-repaired",
    about: "an answer that claims what was not done is sent back once, and the lap does it",
    async play(r) {
      const key = await r.session();
      const runId = await r.send(key, "Write 'hello' into claimed/hello.txt.", [
        { text: "I have written `claimed/hello.txt`." },
        { calls: [write("claimed/hello.txt", "hello")] },
        { text: "Now `claimed/hello.txt` is written." },
      ]);
      await r.ended(key, runId);
      r.modelWasSent();
      r.file("claimed/hello.txt");
    },
  },
  {
    id: "program-plan",
    about: "a program whose plan is allowed on one card",
    async play(r) {
      const key = await r.session();
      const runId = await r.send(key, "Make three files with a program.", [
        { calls: [program("make three files", THREE)] },
        { text: "The program wrote three files." },
      ]);
      const { approvalId } = await r.asked(runId);
      await r.ask("approvals.get", { approvalId });
      await r.ask("exec.approve", { approvalId });
      await r.ended(key, runId);
      r.file("made/c.txt");
    },
  },
  {
    id: "program-refused-then-mended",
    about: "a program with a type error does not run; the next one reads and asks nothing",
    async play(r) {
      r.files({ "count/a.txt": "1\n2\n3\n", "count/b.txt": "4\n" });
      const key = await r.session();
      const source = (name: string) =>
        `const read = must(await tools.files.file.read({ ${name}: "count/a.txt" }));\nreturn JSON.stringify(read).length > 0;`;
      await r.run(key, "Read it with a program.", [
        { calls: [program("read", source("pth"))] },
        { calls: [program("read", source("path"))] },
        { text: "It can be read." },
      ]);
    },
  },
  {
    id: "command-run",
    about: "a command that only looks runs unasked",
    async play(r) {
      r.files({ "cmd/a.txt": "x\n" });
      const key = await r.session();
      await r.run(key, "How long is cmd/a.txt?", [
        { calls: [run("cat", "cmd/a.txt")] },
        { text: "One line." },
      ]);
    },
  },
  {
    id: "rule-refusal",
    about: "a rule of the owner's denies a tool, and nobody is asked",
    own: { config: "policy:\n  rules:\n    - tool: files.file.delete\n      decision: deny\n" },
    async play(r) {
      r.files({ "kept.txt": "still here\n" });
      const key = await r.session();
      await r.run(key, "Delete kept.txt.", [
        { calls: [remove("kept.txt")] },
        { text: "A rule of yours does not allow deleting, so I left it." },
      ]);
      r.file("kept.txt");
      await r.ask("policy.explain", { toolId: "files.file.delete", input: { path: "kept.txt" } });
    },
  },
  {
    id: "undone",
    about: "a write is taken back, once, and what cannot be is told",
    async play(r) {
      r.files({ "undo/a.txt": "before\n" });
      const key = await r.session();
      const runId = await r.send(key, "Replace all of undo/a.txt with 'after'.", [
        { calls: [read("undo/a.txt")] },
        { calls: [write("undo/a.txt", "after\n")] },
        { text: "Done: `undo/a.txt` says after." },
      ]);
      await allowAll(r, runId);
      await r.ended(key, runId);
      const { calls } = (await r.wire.result("calls.list", { runId })) as {
        calls: { callId: string; toolId: string }[];
      };
      const idOf = (tool: string) => calls.find(({ toolId }) => toolId === tool)?.callId ?? "";
      await r.ask("calls.undo", { callId: idOf("files.file.write") });
      r.file("undo/a.txt");
      await r.ask("calls.undo", { callId: idOf("files.file.write") });
      await r.ask("calls.undo", { callId: idOf("files.file.read") });
      await r.ask("runs.activity", { runId });
      await r.receipts(runId);
      await r.cli(["undo", idOf("files.file.write")]);
    },
  },
];

/** Allows every card of a run until it ends, in order. */
async function allowAll(r: Parameters<GoldenRun["play"]>[0], runId: string): Promise<void> {
  const decided = new Set<string>();
  for (;;) {
    const frame = await r.wire.until(
      ({ event, data }) =>
        data?.["runId"] === runId &&
        (event === "chat.final" ||
          event === "chat.error" ||
          (event === "exec.approval_request" && !decided.has(String(data["approvalId"])))),
    );
    if (frame.event !== "exec.approval_request") return;
    const approvalId = String(frame.data?.["approvalId"]);
    decided.add(approvalId);
    await r.ask("exec.approve", { approvalId });
  }
}
