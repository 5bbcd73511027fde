import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cardOf } from "@elwood/core/card/card";
import { failure, FailureError } from "@elwood/core/base/failure";
import type { Decided } from "@elwood/core/protocol/approval-shapes";
import type { EventData } from "@elwood/core/protocol/events";
import type { Preview } from "@elwood/core/tool/tool";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { OwnerPrompt, type Waiting } from "./ask-owner.ts";
import { TEST_NOW, testGateway } from "./test-gateway.ts";
import { testIo, type TestIoOptions } from "./test-io.ts";

type Asked = EventData<"exec.approval_request">;

const ID = "apr_01k9zzzzzzaaaaaaaaaaaa0001";
const KEYS = "[a]llow [e]dit [d]eny [n]ote [?] ";
type Fields = Omit<Asked, "card" | "preview"> & { readonly preview?: Preview | undefined };

/** As the gateway pushes it: the card is made of the rest. */
const asked = (more: Partial<Fields> = {}): Asked => {
  const fields = bare(more);
  return { ...fields, card: cardOf({ ...fields, kind: "approval" }) };
};
const bare = (more: Partial<Fields>): Fields => ({
  approvalId: ID,
  toolName: "files.file.write",
  summary: "Replace all of notes/plan.md (19 bytes before, 18 bytes after).",
  details: { path: "notes/plan.md", content: "# Plan\nBuy blue paint\n" },
  runId: "run_1",
  sessionKey: "ses_1",
  callId: "call_1",
  digest: "abc",
  risk: "write",
  preview: {
    sentence: "Replace all of notes/plan.md",
    before: "# Plan\nBuy GREEN paint\n",
    after: "# Plan\nBuy blue paint\n",
  },
  rule: "authority.value",
  reason: "“Change it” does not say “notes/plan.md” (path); it came from memory.",
  sources: ["memory (call_0)"],
  decisions: ["once"],
  showable: true,
  expiresAt: TEST_NOW + 60_000,
  ...more,
});

async function scene(options: TestIoOptions = { tty: true }) {
  const io = testIo(options);
  const { client, calls } = await testGateway({
    "exec.approve": ({ input }) => {
      if (typeof input === "object" && input !== null && "path" in input && input.path === 7)
        throw new FailureError(failure("INVALID_INPUT", "path must be a string. Nothing was decided."));
      return { ok: true, decided: { status: "approved" } satisfies Decided };
    },
    "exec.deny": () => ({ ok: true, decided: { status: "denied" } satisfies Decided }),
    "owner.answer": () => ({ ok: true, decided: { status: "answered" } satisfies Decided }),
  });
  const waiting: (readonly Waiting[])[] = [];
  let interrupts = 0;
  const prompt = new OwnerPrompt(io, client, {
    interrupt: () => (interrupts += 1),
    change: (now) => waiting.push(now),
  });
  const ask = (data: Asked) => prompt.take({ event: "exec.approval_request", data }, "run_1");
  /** Types once the terminal shows the question for the `nth` time. */
  const type = async (text: string, question = KEYS, nth = 1) => {
    await expect.poll(() => io.err().split(question).length).toBeGreaterThan(nth);
    io.type(`${text}\n`);
  };
  const decided = () => expect.poll(() => calls.length).toBeGreaterThan(0);
  return { io, calls, prompt, ask, type, decided, waiting, interrupts: () => interrupts };
}

/** An editor that puts `text` in the place of what it is given; with a name, the folder it is in. */
function editor(text: string, name?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "elwood-editor-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "text"), text);
  const program = join(folder, name ?? "editor");
  writeFileSync(program, `#!/bin/sh\n/bin/cat "${join(folder, "text")}" > "$1"\n`);
  chmodSync(program, 0o700);
  return name === undefined ? program : folder;
}

describe("an approval at the prompt", () => {
  test("shows the change as a diff and each thing once, never as escaped JSON", async () => {
    const { io, ask, type, decided, calls } = await scene();
    ask(asked());
    await type("a");
    await decided();
    expect(io.err()).toContain(
      [
        "",
        "Change notes/plan.md",
        "1 line out, 1 in",
        "    # Plan",
        "  - Buy GREEN paint",
        "  + Buy blue paint",
        "Asking because you didn't name this file; it came from memory.",
        "",
      ].join("\n"),
    );
    expect(io.err()).not.toContain("\\n");
    expect(calls).toEqual([{ method: "exec.approve", params: { approvalId: ID, decision: "once" } }]);
    expect(io.err()).not.toContain("elsewhere");
  });

  test("shows a command as one types it, and what else it is given", async () => {
    const { io, ask } = await scene({});
    const command = { toolName: "shell.command.run", preview: { sentence: "", before: "x", after: "x\ny" } };
    ask(asked({ ...command, details: { argv: ["rm", "-rf", "my notes", "it's"], network: true } }));
    ask(asked({ ...command, approvalId: `${ID}b`, details: { command: "tar c x |\ngzip" } }));
    await expect.poll(() => io.err()).toContain("gzip");
    expect(io.err()).toContain(String.raw`  $ rm -rf 'my notes' 'it'\''s'` + "\n  network: true\n");
    expect(io.err()).toContain("  $ tar c x |\n    gzip\n");
    expect(io.err()).toContain("  ! deletes my notes, it's\n");
  });

  test("shows the values of any other call, and the calls of a plan one by one", async () => {
    const { io, ask } = await scene({});
    ask(
      asked({
        toolName: "mail.message.send",
        preview: undefined,
        details: { to: "a@b.example", body: "Hi\n\nBye\n", count: 2 },
      }),
    );
    const item = { toolId: "files.file.move", risk: "write", digest: "d", rule: "r" };
    const plan = [
      { ...item, summary: "Move a to b.", input: { from: "a", to: "b" } },
      { ...item, summary: "Move c to d.", input: { from: "c", to: "d" } },
    ];
    ask(asked({ approvalId: `${ID}b`, summary: "A program with 2 calls.", plan }));
    await expect.poll(() => io.err()).toContain("Move c");
    expect(io.err()).toContain("  to: a@b.example\n  body:\n    Hi\n    \n    Bye\n  count: 2\n");
    expect(io.err()).toContain("  1. Move a to b\n  2. Move c to d\n");
  });

  test("a plan can be allowed or denied, and not edited: nobody has seen what another program would do", async () => {
    const { io, ask, type, decided, calls } = await scene();
    const step = { toolId: "files.file.move", risk: "write", digest: "d", rule: "r", summary: "Move it." };
    ask(asked({ toolName: "program.code.run", plan: [{ ...step, input: { from: "a", to: "b" } }] }));
    const keys = "[a]llow [d]eny [n]ote [?] ";
    await type("e", keys);
    await type("a", keys, 2);
    await decided();
    expect(io.err()).not.toContain("your editor");
    expect(calls).toEqual([{ method: "exec.approve", params: { approvalId: ID, decision: "once" } }]);
  });

  test("? says how to allow it for longer", async () => {
    const { io, ask, type } = await scene();
    const scopes = [{ scope: "similar" as const, words: "write anything in notes/" }];
    ask(asked({ scopes, decisions: ["once", "window", "always"] }));
    await type("?");
    await expect.poll(() => io.err().split(KEYS)).toHaveLength(3);
    expect(io.err()).toContain(
      "Write anything in notes/, for the next hour: elwood approvals allow aaaa0001 --for 60 --scope similar\n",
    );
  });

  test("any other key explains and decides nothing; ? shows everything", async () => {
    const { io, ask, type, decided, calls } = await scene();
    ask(asked());
    await type("h");
    await type("", KEYS, 2);
    expect(io.err()).not.toContain("authority.value");
    await type("?", KEYS, 3);
    await type("d", KEYS, 4);
    await decided();
    expect(io.err().split("a  allow this once")).toHaveLength(4);
    expect(io.err()).toContain("authority.value");
    expect(io.err()).toContain("Input:\n  path: notes/plan.md\n  content:\n    # Plan\n    Buy blue paint\n");
    expect(io.err()).not.toContain("\\n");
    expect(calls).toEqual([{ method: "exec.deny", params: { approvalId: ID } }]);
  });

  test("n denies with a note, and an empty note decides nothing", async () => {
    const { io, ask, type, decided, calls } = await scene();
    ask(asked());
    await type("n");
    await type("", "The assistant is told: ");
    await type("n", KEYS, 2);
    await type("use the other list", "The assistant is told: ", 2);
    await decided();
    expect(io.err()).toContain("No note, so nothing was decided.");
    expect(calls).toEqual([
      { method: "exec.deny", params: { approvalId: ID, reason: "use the other list" } },
    ]);
  });

  test("e edits the input, shows what will run, and only then can it be allowed", async () => {
    const EDITOR = editor("path: notes/plan.md\ncontent: |\n  # Plan\n  Buy red paint\n");
    const { io, ask, type, decided, calls } = await scene({
      tty: true,
      env: { EDITOR, PATH: process.env["PATH"] },
    });
    ask(asked());
    await type("e");
    await type("a", `As you edited it: ${KEYS}`);
    await decided();
    expect(io.err()).toContain(
      "This will run instead:\nChange notes/plan.md\n1 line out, 1 in\n    # Plan\n  - Buy GREEN paint\n  + Buy red paint\n",
    );
    const input = { path: "notes/plan.md", content: "# Plan\nBuy red paint\n" };
    expect(calls).toEqual([{ method: "exec.approve", params: { approvalId: ID, decision: "once", input } }]);
  });

  test("with another path there is no diff, since nobody knows what is there; what the gateway refuses can be mended", async () => {
    const EDITOR = editor("path: 7\ncontent: |\n  One\n  Two\n");
    const { io, ask, type, calls } = await scene({ tty: true, env: { EDITOR, PATH: process.env["PATH"] } });
    ask(asked());
    await type("e");
    await type("a", `As you edited it: ${KEYS}`);
    await type("d", KEYS, 3);
    await expect.poll(() => calls).toHaveLength(2);
    expect(io.err()).toContain(
      "This will run instead:\nWrite a file\n  path: 7\n  content:\n    One\n    Two\n",
    );
    expect(io.err()).toContain("path must be a string. Nothing was decided.");
    expect(calls[1]).toMatchObject({ method: "exec.deny" });
  });

  test("what the editor left that cannot be read changes nothing, and neither does having no editor", async () => {
    const env = { EDITOR: editor("path: [unclosed\n"), PATH: process.env["PATH"] };
    const broken = await scene({ tty: true, env });
    broken.ask(asked());
    await broken.type("e");
    await broken.type("a", KEYS, 2);
    await broken.decided();
    expect(broken.io.err()).toContain("That cannot be read: ");
    expect(broken.calls).toEqual([{ method: "exec.approve", params: { approvalId: ID, decision: "once" } }]);
    const none = await scene();
    none.ask(asked());
    await none.type("e");
    await none.type("d", KEYS, 2);
    await none.decided();
    expect(none.io.err()).toContain(
      "There is no editor: EDITOR is not set, and neither nano nor vi is installed. Set EDITOR to the one you use, or press n to deny it and say what you want instead. Nothing was changed.",
    );
  });

  test("e opens nano or vi where no editor is chosen", async () => {
    const PATH = editor("path: notes/plan.md\ncontent: Buy red paint\n", "vi");
    const { io, ask, type, decided, calls } = await scene({ tty: true, env: { PATH } });
    ask(asked());
    await type("e");
    await type("a", `As you edited it: ${KEYS}`);
    await decided();
    expect(io.err()).toContain(
      "EDITOR is not set, so this opens in vi. To leave it without a change, type :q! and Enter.\n",
    );
    const input = { path: "notes/plan.md", content: "Buy red paint" };
    expect(calls).toEqual([{ method: "exec.approve", params: { approvalId: ID, decision: "once", input } }]);
  });

  test("what destroys something wants its word, and another word decides nothing", async () => {
    const { io, ask, type, decided, calls } = await scene();
    ask(asked({ confirm: "delete 3 files" }));
    const question = 'Type "delete 3 files" to allow it: ';
    await type("a");
    await type("yes", question);
    await type("a", KEYS, 2);
    await type("delete 3 files", question, 2);
    await decided();
    expect(io.err()).toContain("That is another word, so nothing was decided.");
    expect(calls).toEqual([
      { method: "exec.approve", params: { approvalId: ID, decision: "once", confirm: "delete 3 files" } },
    ]);
  });

  test("a call that destroys something wants a typed word, though the gateway asks for none", async () => {
    const { io, ask, type, decided, calls } = await scene();
    const preview = { sentence: "Delete a.txt", before: "a", after: "", undoable: true };
    ask(
      asked({
        toolName: "files.file.delete",
        risk: "destructive",
        rule: "ask.destructive",
        details: { path: "a.txt" },
        preview,
      }),
    );
    const question = 'Type "delete" to allow it: ';
    await type("a");
    await type("y", question);
    await type("a", KEYS, 2);
    await type("delete", question, 2);
    await decided();
    expect(io.err()).toContain("That is another word, so nothing was decided.");
    expect(io.err()).not.toContain("destroys");
    // The gateway knows of no word, and is sent none.
    expect(calls).toEqual([{ method: "exec.approve", params: { approvalId: ID, decision: "once" } }]);
  });

  describe("several of a kind", () => {
    const move = (n: number) =>
      asked({
        approvalId: `${ID}${n}`,
        toolName: "files.file.move",
        details: { from: `${n}.jpg`, to: `trip-${n}.jpg` },
        preview: { sentence: "Move it", undoable: true },
        reason: `You did not say “trip-${n}.jpg” (to); it came from the list of files in “photos”.`,
        sources: ["the list of files in “photos” (call_0)"],
      });
    const keysOf = (count: number) =>
      `[a]llow [e]dit [d]eny [n]ote [t]ogether: allow all ${count} [x] deny all ${count} [?] `;

    test("are one question: shown once, with the reason and the way back once, and allowed with one key", async () => {
      const { io, ask, type, calls, waiting } = await scene({ tty: true, columns: 200 });
      for (const n of [1, 2, 3, 4, 5]) ask(move(n));
      await type("t", `1 of 5: ${keysOf(5)}`);
      await expect.poll(() => calls).toHaveLength(5);
      expect(io.err()).toBe(
        [
          "",
          "Move 5 files · you can undo this",
          " 1. Move 1.jpg to trip-1.jpg",
          " 2. Move 2.jpg to trip-2.jpg",
          " 3. Move 3.jpg to trip-3.jpg",
          " 4. Move 4.jpg to trip-4.jpg",
          " 5. Move 5.jpg to trip-5.jpg",
          "Asking because you didn't name these files; they came from the list of files in “photos”.",
          `1 of 5: ${keysOf(5)}t`,
          "",
        ].join("\n"),
      );
      expect(calls).toEqual(
        [1, 2, 3, 4, 5].map((n) => ({
          method: "exec.approve",
          params: { approvalId: `${ID}${n}`, decision: "once" },
        })),
      );
      await expect.poll(() => waiting.at(-1)).toEqual([]);
    });

    test("can be decided one by one, each by its number among all, and the rest denied with one key", async () => {
      const { io, ask, type, calls } = await scene();
      for (const n of [1, 2, 3]) ask(move(n));
      await type("a", `1 of 3: ${keysOf(3)}`);
      await type("x", `2 of 3: ${keysOf(2)}`);
      await expect.poll(() => calls).toHaveLength(3);
      expect(io.err()).toContain("\n 2. Move 2.jpg to trip-2.jpg\n2 of 3: ");
      expect(io.err().split("you can undo this")).toHaveLength(2);
      expect(io.err().split("Asking because")).toHaveLength(2);
      expect(calls.map(({ method, params }) => [method, params])).toMatchObject([
        ["exec.approve", { approvalId: `${ID}1` }],
        ["exec.deny", { approvalId: `${ID}2` }],
        ["exec.deny", { approvalId: `${ID}3` }],
      ]);
    });

    test("that come late are added to the question, and nothing shown before is repeated", async () => {
      const { io, ask, type, calls } = await scene();
      ask(move(1));
      await expect.poll(() => io.err()).toContain(KEYS);
      ask(move(2));
      ask(move(3));
      await type("t", `1 of 3: ${keysOf(3)}`);
      await expect.poll(() => calls).toHaveLength(3);
      expect(io.err()).toContain("Move 3 files by now · you can undo this\n 2. Move 2.jpg to trip-2.jpg\n");
      expect(io.err().split("Move 1.jpg")).toHaveLength(2);
    });

    test("that are too long for one look are named, and allowed together once they were listed", async () => {
      const { io, ask, type, calls } = await scene();
      const content = Array.from({ length: 70 }, (_, i) => `line ${i}`).join("\n");
      for (const n of [1, 2]) {
        const preview = { sentence: "Create it", creates: true, after: content };
        ask(asked({ approvalId: `${ID}${n}`, details: { path: `${n}.txt`, content }, preview }));
      }
      const list = "1 of 2: [a]llow [e]dit [d]eny [n]ote [l]ist all 2 [x] deny all 2 [?] ";
      // Before they were listed there is no such key.
      await type("t", list);
      expect(io.err()).toContain("Write 2 files:\n 1. Create 1.txt\n 2. Create 2.txt\n");
      await type("l", list, 2);
      await type("t", `1 of 2: ${keysOf(2)}`);
      await expect.poll(() => calls).toHaveLength(2);
    });
  });

  test("keys that arrive together are each read, a key that means nothing is passed over, and a paste decides nothing", async () => {
    const { io, ask, calls } = await scene();
    const stdin = Object.assign(io.stdin, { setRawMode: () => undefined });
    const shown = (times: number) => expect.poll(() => io.err().split(KEYS).length).toBeGreaterThan(times);
    /** What was typed before the question stood there does not count, so it is pressed until it does. */
    const press = (keys: string, times: number) =>
      vi.waitFor(
        () => {
          stdin.emit("data", Buffer.from(keys));
          expect(io.err().split(KEYS).length).toBeGreaterThan(times);
        },
        { interval: 200, timeout: 60_000 },
      );
    ask(asked());
    await shown(1);
    await press("allow\r", 2);
    expect(io.err()).toContain("Several characters came at once, as if pasted. They decide nothing.");
    await press("?a", 4);
    expect(io.err()).toContain("Rule: authority.value");
    expect(io.err()).toContain("nothing was allowed. Press a alone to allow it.");
    expect(calls).toEqual([]);
    await vi.waitFor(
      () => {
        stdin.emit("data", Buffer.from("\f\u001b[Ad"));
        expect(calls).toEqual([{ method: "exec.deny", params: { approvalId: ID } }]);
      },
      { interval: 200, timeout: 60_000 },
    );
  });

  test("one too long to be shown whole can be denied, and not allowed or edited", async () => {
    const { io, ask, type, decided, calls } = await scene();
    ask(asked({ showable: false }));
    const keys = "[d]eny [n]ote [?] ";
    await type("a", keys);
    await type("e", keys, 2);
    await type("d", keys, 3);
    await decided();
    expect(io.err()).not.toContain("[a]llow");
    expect(calls).toEqual([{ method: "exec.deny", params: { approvalId: ID } }]);
  });

  test("one decided elsewhere is taken back, and the next one is asked", async () => {
    const { io, ask, prompt, type, decided, calls, waiting } = await scene();
    ask(asked());
    ask(asked({ approvalId: `${ID}b`, toolName: "mail.message.send" }));
    await expect.poll(() => io.err()).toContain(KEYS);
    const by = { kind: "owner" as const, id: "owner", surface: "web" };
    const data = { approvalId: ID, runId: "run_1", decided: "denied", by, surface: "web" };
    prompt.take({ event: "exec.approval_resolved", data }, "run_1");
    await type("a", KEYS, 2);
    await decided();
    expect(io.err()).toContain(
      "Decided elsewhere: ⊘ Not changed: notes/plan.md · you denied it on the page\n",
    );
    expect(calls).toMatchObject([{ method: "exec.approve", params: { approvalId: `${ID}b` } }]);
    await expect.poll(() => waiting.map((now) => now.length)).toEqual([1, 2, 1, 0]);
  });

  test("one that was edited elsewhere says so, and shows what runs instead of what stands above", async () => {
    const { io, ask, prompt } = await scene();
    ask(asked());
    await expect.poll(() => io.err()).toContain(KEYS);
    const by = { kind: "owner" as const, id: "owner", surface: "web" };
    const editedInput = { path: "notes/plan.md", content: "# Plan\nBuy RED paint\n" };
    const data = { approvalId: ID, runId: "run_1", decided: "approved", by, surface: "web", editedInput };
    prompt.take({ event: "exec.approval_resolved", data }, "run_1");
    await expect.poll(() => io.err()).toContain("Decided elsewhere");
    const told = io.err().slice(io.err().indexOf("Decided elsewhere"));
    expect(told).toContain("you edited it first on the page\nThis runs instead:\n");
    expect(told).toContain("Buy RED paint");
    expect(told).not.toContain("Buy blue paint");
  });

  test("the end of input decides nothing and says how to decide; a pipe is told so at once", async () => {
    const terminal = await scene();
    terminal.ask(asked());
    await expect.poll(() => terminal.io.err()).toContain(KEYS);
    terminal.io.hangUp();
    await expect
      .poll(() => terminal.io.err())
      .toContain(
        "Nothing was decided. It waits for you: elwood approvals show aaaa0001, then elwood approvals allow aaaa0001 or deny aaaa0001",
      );
    const pipe = await scene({});
    pipe.ask(asked());
    await expect.poll(() => pipe.io.err()).toContain("Waiting for you: elwood approvals show aaaa0001");
    expect(pipe.io.err()).not.toContain(KEYS);
    expect([...terminal.calls, ...pipe.calls]).toEqual([]);
  });

  test("Ctrl-C stops the run", async () => {
    const { io, ask, interrupts, calls } = await scene();
    ask(asked());
    await expect.poll(() => io.err()).toContain(KEYS);
    io.type("\u0003");
    await expect.poll(() => interrupts()).toBe(1);
    expect(calls).toEqual([]);
  });

  test("what a tool says cannot command the terminal", async () => {
    const { io, ask } = await scene({});
    ask(asked({ summary: "Write\u001b[2J it", reason: "\u001b]0;title\u0007", preview: undefined }));
    await expect.poll(() => io.err()).toContain("Waiting for you");
    expect(io.err()).not.toMatch(/\u001b|\u0007/);
  });
});

test("a question is answered at the prompt; an empty line is no answer", async () => {
  const { io, prompt, type, decided, calls } = await scene();
  const data = {
    questionId: ID,
    runId: "run_1",
    sessionKey: "ses_1",
    question: "Which day?",
    options: ["Monday", "Tuesday"],
    kind: "question" as const,
    expiresAt: TEST_NOW,
  };
  prompt.take({ event: "owner.question", data }, "run_1");
  await type("", "> ");
  await type("Tuesday", "> ", 2);
  await decided();
  expect(io.err()).toContain("The assistant asks: Which day?\n  1. Monday\n  2. Tuesday\n");
  expect(calls).toEqual([{ method: "owner.answer", params: { questionId: ID, answer: "Tuesday" } }]);
});
