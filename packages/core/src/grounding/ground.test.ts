import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActivityItem } from "../tool/activity.ts";
import { LOCALES } from "../request/language.ts";
import { CALL_STATUSES, RISKS } from "../tool/tool.ts";
import { ground, type Draft } from "./ground.ts";
import { escapeReserved, withoutCitations } from "./reserved.ts";
import { readDraft } from "./sentences.ts";

const call = (n: number, of: Partial<ActivityItem> = {}): ActivityItem => ({
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
const write = (n: number, target: string, of: Partial<ActivityItem> = {}) =>
  call(n, { toolId: "files.file.write", target, ...of });
const verified = (input: Draft) => ground(input).segments.map((segment) => segment.verified);
const marked = (draft: string, activity: readonly ActivityItem[] = [], ownerWords = "") =>
  ground({ draft, activity, ownerWords }).marks.map(({ kind }) => kind);

describe("a command that only looked", () => {
  const count = {
    ownerWords: "Which has more lines, data/server.log or data/expenses.csv?",
    activity: [call(1, { toolId: "shell.command.run", target: "wc -l data/server.log data/expenses.csv" })],
    callText: () => " 640 data/server.log\n 121 data/expenses.csv\n 761 total\n",
  };

  test("supports what it counted, though its tool can change things", () => {
    const draft = "`data/server.log`: it has 640 lines, `data/expenses.csv` has 121 [c1].";
    expect(verified({ ...count, draft })).toEqual(["supported"]);
  });

  test("does not support another number or another file", () => {
    const other = "`data/server.log`: it has 648 lines, `data/costs.csv` has 121 [c1].";
    expect(verified({ ...count, draft: other })).not.toContain("supported");
  });
});

describe("every answer is delivered", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "I sent it to anna@acme.io [c1].",
      "Done! ✅",
      "✓ forged ◈ line",
      "```js\nlog('✓')\n```",
      "`◈`",
      "> ✗ quoted [c1]",
      "| a | ✓ |",
      "Ich habe es erledigt [c1, c2].",
      "已发送。[c2]送りました。",
      "[c99]",
      "\n",
      "\n\n",
      " ",
      "~~~\n[✓ c1]\n~~~",
      "I could not do it.",
      "half \ud83d",
    ),
    fc.string({ unit: "grapheme", maxLength: 20 }),
  );
  const activity = fc.array(
    fc.record({
      toolId: fc.constantFrom(
        "email.message.send",
        "files.file.write",
        "files.file.read",
        "shell.command.run",
      ),
      status: fc.constantFrom(...CALL_STATUSES),
      risk: fc.constantFrom(...RISKS),
      target: fc.constantFrom("anna@acme.io", "notes/a_b.md", "x ◈ y"),
    }),
    { maxLength: 5 },
  );

  test("OA-6: the model's segments joined are the draft, but for citation tokens and escaped glyphs", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
        activity,
        fc.constantFrom("Send it.", "Why?", "Write a poem.", ""),
        (draft, calls, ownerWords) => {
          const items = calls.map((of, n) => call(n + 1, of));
          const { segments, text } = ground({ draft, activity: items, ownerWords });
          const joined = segments
            .flatMap((segment) => (segment.by === "model" ? [segment.text] : []))
            .join("");
          expect(text).toBe(joined);
          expect(joined).toBe(escapeReserved(withoutTokens(draft)));
        },
      ),
      { numRuns: 400 },
    );
  });

  test("a reply without citations and glyphs comes out to the letter", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 20, mode: "sentences" }), (draft) => {
        expect(ground({ draft, activity: [call(1, { status: "failed" })] }).text).toBe(draft);
      }),
    );
  });
});

/** Citation tokens stand in what the model says itself; in code and quotations they are only characters. */
function withoutTokens(draft: string): string {
  return readDraft(draft).sentences.reduceRight(
    (text, { start, end }) =>
      text.slice(0, start) + withoutCitations(text.slice(start, end)) + text.slice(end),
    draft,
  );
}

describe("a cited statement", () => {
  test("OA-6: gets a tick where the call succeeded and holds its values", () => {
    const { segments, marks } = ground({
      draft: "I sent it to anna@acme.io [c1]. Anything else?",
      activity: [call(1, { target: "anna@acme.io" })],
    });
    expect(segments).toEqual([
      { text: "I sent it to anna@acme.io.", by: "model", cites: ["c1"], verified: "supported" },
      { text: " Anything else?", by: "model" },
    ]);
    expect(marks).toEqual([]);
  });

  test("OA-6: gets no tick where any cited call did not succeed", () => {
    for (const ending of [
      ...CALL_STATUSES.filter((status) => status !== "succeeded").map((status) => ({ status })),
      { exitCode: 2 },
      { undone: true },
    ])
      expect(
        verified({ draft: "Both went out [c1][c2].", activity: [call(1), call(2, ending)] }),
      ).not.toContain("supported");
  });

  test("a number that the call never returned loses the tick and is no mark", () => {
    const read = call(1, { toolId: "files.file.read", risk: "read", target: "budget.csv" });
    const tell = (draft: string) =>
      verified({ draft, activity: [read], callText: () => "total;1250,50\ndate;2026-03-13" });
    expect(tell("The total is 1,250.50 [c1].")).toEqual(["supported"]);
    expect(tell("As of 13 March 2026 the total is 1250.50 [c1].")).toEqual(["supported"]);
    expect(tell("The total is 1,520.50 [c1].")).toEqual(["unmatched"]);
  });

  test.each([
    ["I searched `server.log` and found 9 lines with ERROR [c1].", false],
    ["I searched `server.log` and found nine lines with ERROR [c1].", false],
    ["I searched `server.log` and found 12 lines with ERROR [c1].", true],
    ["I searched `server.log` and found twelve lines with ERROR [c1].", true],
    ["The first 3 lines in `server.log` are from Monday [c1].", true],
    ["In `server.log` stehen 9 Zeilen mit ERROR [c1].", false],
    ["In `server.log` stehen 12 Zeilen mit ERROR [c1].", true],
    ["`server.log` 中有 9 行包含 ERROR [c1]。", false],
    ["I found it in `server.log`, 3 days ago [c1].", true],
  ])("a count that the result itself contradicts loses the tick and is no mark: %s", (draft, ticked) => {
    const search = call(1, { toolId: "files.file.search", risk: "read", target: '"ERROR" in server.log' });
    const found = Array.from({ length: 12 }, (_, i) => `server.log:${i + 3}: ERROR`).join("\n");
    const { segments, marks } = ground({
      draft,
      activity: [search],
      callText: () => `${found}\n[12 lines in 1 file of /w/desk.]`,
    });
    expect(segments[0]?.verified).toBe(ticked ? "supported" : "unmatched");
    expect(marks).toEqual([]);
  });

  test.each([
    ["I wrote `a6.md` with the word seven [c1].", false],
    ["I wrote `a6.md` with the word six [c1].", true],
    ["I wrote the one word into `a6.md` in two steps [c1].", true],
  ])("a number word that the call contradicts loses the tick and is no mark: %s", (draft, ticked) => {
    const { segments, marks } = ground({
      draft,
      activity: [write(1, "a6.md")],
      callText: () => '{"path":"a6.md","content":"six"}',
      ownerWords: "write a6.md",
    });
    expect(marks).toEqual([]);
    expect(segments[0]?.verified).toBe(ticked ? "supported" : "unmatched");
  });

  test("counts of several cited results may be added up", () => {
    const search = (n: number) => call(n, { toolId: "files.file.search", risk: "read", target: "x" });
    const callText = ({ cite }: { readonly cite: string }) =>
      `[${cite === "c1" ? "12 lines" : "1 line"} in 3 files of /w.]`;
    const activity = [search(1), search(2)];
    expect(verified({ draft: "There are 13 lines in all [c1][c2].", activity, callText })).toEqual([
      "supported",
    ]);
    expect(verified({ draft: "There are 14 lines in all [c1][c2].", activity, callText })).toEqual([
      "unmatched",
    ]);
  });

  test("names are compared as they are written, underscores included", () => {
    const draft = "Saved as `notes/a_b_c.md` [c1].";
    expect(verified({ draft, activity: [write(1, "notes/a_b_c.md")] })).toEqual(["supported"]);
    expect(verified({ draft, activity: [write(1, "notes/abc.md")] })).toEqual(["unsupported"]);
  });

  test("a citation of a call that does not exist is dropped", () => {
    const { segments, text } = ground({ draft: "Hello there [c3].", activity: [call(1)] });
    expect(text).toBe("Hello there.");
    expect(segments.every(({ cites }) => cites === undefined)).toBe(true);
  });

  test("calls of earlier runs can be cited", () => {
    const earlier = [write(1, "a.md"), write(2, "b.md")];
    expect(verified({ draft: "I wrote `b.md` before [c2].", activity: [], earlier })).toEqual(["supported"]);
    expect(verified({ draft: "I wrote `b.md` before [c2].", activity: [] })).not.toContain("supported");
  });

  test.each(["ticked off the first item", "merged both lists", "ordered the entries by author"])(
    "whatever verb the model finds for a change of a file it cites: it %s",
    (verb) => {
      const activity = [call(1, { toolId: "files.file.edit", target: "notes/todo.md" })];
      expect(verified({ draft: `I ${verb} in \`notes/todo.md\` [c1].`, activity })).toEqual(["supported"]);
    },
  );
});

describe("what claims more than the receipts", () => {
  test("OA-6: an effect without any call is marked in place, and the answer stays", () => {
    const draft = "I've emailed the report to Anna. Have a nice day!";
    const { segments, text } = ground({ draft, activity: [], ownerWords: "email the report to Anna" });
    expect(text).toBe(draft);
    expect(segments[0]).toMatchObject({ verified: "unsupported", why: "no call did this" });
    expect(segments.at(-1)).not.toHaveProperty("verified");
  });

  test.each(["failed", "denied", "expired", "unknown"] as const)(
    "OA-6: a call that is %s is not told as done, and the model gets one more lap",
    (status) => {
      const { marks, repair } = ground({
        draft: "I deleted `b.md`.",
        activity: [call(1, { toolId: "files.file.delete", risk: "destructive", target: "b.md", status })],
        ownerWords: "delete b.md",
      });
      expect(marks).toMatchObject([{ kind: "not-succeeded", cites: ["c1"], strong: true }]);
      expect(repair).toMatch(/^\[Elwood, not the owner\]/u);
      expect(repair).toContain("I deleted `b.md`.");
      expect(repair).toContain(status === "denied" ? "do not ask for it again" : "Make the call now");
    },
  );

  test("the owner asked for an effect, it is claimed, and nothing was called: one more lap", () => {
    const asked = { ownerWords: "Send Ben the invoice.", activity: [] };
    expect(ground({ ...asked, draft: "I've sent Ben the invoice." }).repair).toContain(
      "no call was made for it",
    );
    expect(ground({ ...asked, draft: "Which invoice do you mean?" }).repair).toBeUndefined();
  });

  test("where every change succeeded there is no further lap, whatever is said", () => {
    const activity = [call(1, { toolId: "email.draft.create", target: "ben@acme.io" })];
    const { marks, repair } = ground({
      draft: "I sent the mail to Ben.",
      activity,
      ownerWords: "send ben the mail",
    });
    expect(marks).toMatchObject([{ kind: "other-action" }]);
    expect(repair).toBeUndefined();
  });

  test("nor where what failed is of an earlier run, and this one changed something that succeeded", () => {
    const failed = call(1, { status: "failed", target: "ben@acme.io" });
    const draft = "The mail went out to ben@acme.io [c1].";
    const asked = { draft, earlier: [failed], ownerWords: "note the address and send the mail" };
    const { marks, repair } = ground({ ...asked, activity: [write(2, "addresses.md")] });
    expect(marks).toMatchObject([{ kind: "not-succeeded", cites: ["c1"] }]);
    expect(repair).toBeUndefined();
    expect(ground({ ...asked, activity: [] }).repair).toContain("c1");
  });

  test("another target, more objects, or another kind of action than the calls had", () => {
    expect(marked("I updated the year in `LICENSE`.", [write(1, "README.md")])).toEqual(["other-target"]);
    expect(
      marked(
        "I've deleted all five files.",
        [1, 2, 3].map((n) => call(n, { toolId: "files.file.delete", target: `t${n}.tmp` })),
      ),
    ).toEqual(["count"]);
    expect(
      marked("I've paid the invoice and sent it to #general.", [
        call(1, { toolId: "chat.message.post", target: "#random" }),
      ]),
    ).not.toEqual([]);
  });

  test("what only repeats the owner's answer claims nothing", () => {
    const question = call(1, { toolId: "owner.question.ask", risk: "read" });
    const draft = {
      activity: [question],
      ownerWords: "Paint it",
      callText: () => "The owner answers: Blue, please",
    };
    expect(ground({ ...draft, draft: "Blue it is." }).marks).toEqual([]);
    expect(ground({ ...draft, draft: "I painted it blue." }).marks).toHaveLength(1);
  });

  test("a verb for what the calls did is believed, whatever is usually done with such things", () => {
    const moves = [1, 2, 3].map((n) => call(n, { toolId: "files.file.move", target: `2026/inv-0${n}.pdf` }));
    const asked = "move the three invoices into 2026";
    expect(marked("Moved all 3 invoices into `2026/`.", moves, asked)).toEqual([]);
    expect(marked("Moved all 3 invoices into `2026/` and sent them to Anna.", moves, asked)).toHaveLength(1);
  });

  test.each([
    ["Is it going to rain?", "I looked it up: 80 % chance of rain after 16:00.", []],
    ["run the migration on staging", "The migration ran through on staging without errors.", ["failed"]],
    ["shorten this: we would like to inform you", "I've also saved it to your Google Drive.", []],
  ] as const)("asked “%s”, it says “%s”", (ownerWords, draft, statuses) => {
    const calls = statuses.map((status) =>
      call(1, { toolId: "shell.command.run", target: "migrate", status }),
    );
    expect(marked(draft, calls, ownerWords)).toHaveLength(1);
  });

  test("a cited call that did not succeed is not told as done, however sure the wording", () => {
    const failed = call(1, { status: "failed", target: "anna@acme.io" });
    expect(marked("I sent the report to Anna [c1].", [failed, call(2)])).toEqual(["not-succeeded"]);
  });

  test("what became of the call is said beside the mark: undone, denied by the owner, failed, or done after all", () => {
    const by = { kind: "owner", id: "owner", surface: "web" } as const;
    const why = (draft: string, of: Partial<ActivityItem>) =>
      ground({ draft, activity: [write(1, "a.md", of)] }).segments.find(({ by: who }) => who === "model")
        ?.why;
    expect(why("a.md is written [c1].", { undone: true })).toBe("you undid it");
    const denied = { required: true, decision: "denied", by } as const;
    expect(why("a.md is written [c1].", { status: "denied", approval: denied })).toBe("you said no");
    expect(why("a.md is written [c1].", { status: "failed" })).toBe("that call failed");
    expect(why("a.md is written [c1].", { status: "expired" })).toBe("that call did not succeed");
    expect(why("I did not write a.md.", {})).toBe("a call did do this");
  });

  test("an exit code other than 0 does not support that tests pass", () => {
    const ran = call(1, { toolId: "shell.command.run", target: "npm test", exitCode: 1 });
    expect(marked("I ran the tests and they all pass.", [ran], "run the tests")).toEqual(["not-succeeded"]);
    const told = ground({
      draft: "I ran the tests and they all pass.",
      activity: [ran],
      ownerWords: "run the tests",
    });
    expect(told.segments.map(({ why }) => why)).toEqual(["that call failed"]);
    expect(marked("I ran the tests: one of them fails.", [ran], "run the tests")).toEqual([]);
    expect(marked("The command ran, but it ended with exit code 1 [c1].", [ran], "run the tests")).toEqual(
      [],
    );
  });

  test("a reply that is nothing but code, where an effect was asked for and nothing was called, is marked as a whole", () => {
    const draft = "```\nfix(cart): handle an empty cart\n```";
    const { segments } = ground({ draft, activity: [], ownerWords: "Commit my changes." });
    expect(segments).toMatchObject([{ text: draft, verified: "unsupported" }]);
  });
});

describe("a sentence that says of a change that it was not made", () => {
  const asked = "Please make two lists, a.md and b.md.";
  const made = [write(1, "a.md"), write(2, "b.md")];
  const denied = made.map((item) => ({ ...item, status: "denied" as const }));

  test.each([
    "Neither list was made.",
    "Neither file was written.",
    "Correction: neither file was written.",
    "None of the files was written.",
    "I wrote no file.",
    "I did not write a.md.",
    "Keine der Listen wurde angelegt.",
    "`a.md` was not written.",
    "Ich habe `a.md` nicht geschrieben.",
  ])("“%s” is true where the calls were denied, and marked where they were made", (sentence) => {
    expect(marked(sentence, denied, asked)).toEqual([]);
    expect(marked(sentence, made, asked)).toEqual(["was-done"]);
    const cited = `${sentence.slice(0, -1)} [c1].`;
    expect(verified({ draft: cited, activity: made, ownerWords: asked })).toEqual(["unsupported"]);
    expect(verified({ draft: cited, activity: made })).not.toEqual(["supported"]);
  });

  test.each([
    "Nothing else was changed.",
    "I haven't changed any other files.",
    "I did not write c.md.",
    "No file was deleted.",
    "I have not sent anything.",
  ])("“%s” is about something else than was done", (sentence) => {
    expect(marked(sentence, made, asked)).toEqual([]);
  });

  test("of one thing it may say that it was not made, without its name", () => {
    expect(marked("The file was not written.", [write(1, "a.md")])).toEqual(["was-done"]);
    expect(marked("The file was not written.", [write(1, "a.md", { status: "failed" })])).toEqual([]);
    expect(marked("It was not overwritten.", [write(1, "a.md")])).not.toContain("not-succeeded");
  });

  test("a negation beside the deed takes nothing back", () => {
    for (const sentence of ["I wrote a.md without problems.", "No problem, both files are written."])
      expect(marked(sentence, denied, asked)).toEqual(["not-succeeded"]);
  });

  test("what is told as done after nothing but changes that were denied is told of them", () => {
    const { marks, repair } = ground({
      draft: "I have written all three files.",
      activity: denied,
      ownerWords: asked,
    });
    expect(marks).toMatchObject([{ kind: "not-succeeded", cites: ["c1", "c2"] }]);
    expect(repair).toContain("c1 (write file → a.md) was denied");
  });
});

describe("what is no claim", () => {
  test.each([
    [
      "fix this: function add(a,b){return a-b}",
      "I've fixed the bug in your function:\n\n```js\nconst add = (a, b) => a + b;\n```",
    ],
    ["sort: pear, apple, fig", "I sorted the list for you: apple, fig, pear."],
    [
      "draft an email to Anna about the parcel",
      "> Dear Anna,\n>\n> I sent the parcel on Monday.\n\nShall I change anything?",
    ],
    ["is 17*23 = 391?", "Yes, I checked: 17 × 23 = 391."],
    ["translate to German: I deleted the file", "„Ich habe die Datei gelöscht.“"],
    ["what is in a server.log usually", "Usually one line per request, with time, address and status."],
    ["thanks!", "You're welcome!"],
    ["tell me a joke", "A programmer pushed to main, went home, and slept well. That's the joke."],
  ])("%s", (ownerWords, draft) => {
    expect(ground({ draft, activity: [], ownerWords }).marks).toEqual([]);
  });

  test("what is reported as not done is not told as done", () => {
    const denied = [call(1, { toolId: "files.file.edit", target: "todo.md", status: "denied" })];
    for (const draft of [
      "I left the todo list as it is.",
      "You said no, so nothing was changed.",
      "The edit failed.",
      "Du hast es abgelehnt, deshalb ist nichts geändert.",
      "La modification a été refusée.",
      "Correction: todo.md was not changed.",
      "Corrección: todo.md no se ha cambiado.",
    ])
      expect(marked(draft, denied, "edit the list")).toEqual([]);
  });
});

test.each([
  '"I have sent the report to Anna."',
  "“I have sent the report to Anna.”",
  "„Ich habe den Bericht an Anna geschickt.“",
  "> I have sent the report to Anna.",
  "```\nI have sent the report to Anna.",
  "``` `\nI have sent the report to Anna.",
  "~~~\nI have sent the report to Anna.\n~~~",
  "`I have sent the report to Anna.`",
])("what was to be done and was not is marked, however the reply is wrapped: %j", (draft) => {
  const ownerWords = "Send the report to Anna.";
  expect(ground({ draft, activity: [], ownerWords }).marks).toHaveLength(1);
  const sent = [call(1, { target: "Anna" })];
  expect(ground({ draft, activity: sent, ownerWords }).marks).toEqual([]);
});

test.each(["I see.", "Got it.", "Let me know.", "Fine by me.", "That is all."])(
  "what is said in passing after a denial is no claim: %s",
  (draft) => {
    const activity = [call(1, { toolId: "files.file.delete", target: "old.txt", status: "denied" })];
    expect(ground({ draft, activity, ownerWords: "Delete old.txt" }).marks).toEqual([]);
  },
);

test.each([
  "You can see above how it went.",
  "What came of it is shown above.",
  "The rest is up to you.",
  "Wie es ausging, siehst du oben.",
  "结果如上所示。",
])("what points at the outcome without telling it is no claim: %s", (draft) => {
  for (const status of ["denied", "failed"] as const) {
    const activity = [call(1, { toolId: "files.file.delete", target: "old.txt", status })];
    expect(ground({ draft, activity, ownerWords: "Delete old.txt" }).marks).toEqual([]);
  }
});

test("a call that was denied says nothing of those that a sentence cites", () => {
  const move = (nth: number, target: string, status: "succeeded" | "denied") =>
    call(nth, { toolId: "files.file.move", target, status });
  const activity = [
    move(1, "IMG_001.jpg to graz-1.jpg", "succeeded"),
    move(2, "IMG_002.jpg to graz-2.jpg", "succeeded"),
    move(3, "graz-1.jpg to IMG_001.jpg", "denied"),
  ];
  const told = (draft: string) =>
    ground({ draft, activity, ownerWords: "rename both photos" }).segments[0]!.verified;
  expect(told("Both are renamed [c1] [c2].")).toBe("supported");
  expect(told("Moving it back is done [c3].")).toBe("unsupported");
});

test("a call that was undone supports nothing any more, unless the sentence says so", () => {
  const earlier = [call(1, { toolId: "files.file.delete", target: "server.log", undone: true })];
  const told = (draft: string) =>
    ground({ draft, activity: [], earlier, ownerWords: "is server.log gone now?" }).segments[0]!.verified;
  expect(told("Yes, `server.log` is deleted [c1].")).toBe("unsupported");
  expect(told("I deleted `server.log` [c1], and you have undone it since.")).not.toBe("unsupported");
});

test.each(["They shine at night.", "Answered once.", "Carrot.", "From afar."])(
  "a brief sentence about something else is small talk: %s",
  (draft) => expect(ground({ draft, activity: [], ownerWords: "Tell me something." }).marks).toEqual([]),
);

describe("how something is, as a cited look found it", () => {
  const activity = [call(1, { toolId: "files.file.list", risk: "read", target: "." })];
  const kinds = (draft: string, ownerWords: string) =>
    ground({ draft, activity, ownerWords, callText: () => "[/files: 0 files, 0 folders.]" }).marks.map(
      ({ kind }) => kind,
    );

  test.each([
    ["en", "How many files are in my folder?", "There are 0 files [c1]. The folder is empty [c1]."],
    ["de", "Wie viele Dateien sind in meinem Ordner?", "Es sind 0 Dateien [c1]. Der Ordner ist leer [c1]."],
    ["fr", "Combien de fichiers y a-t-il ?", "Il y a 0 fichier [c1]. Le dossier est vide [c1]."],
    ["es", "¿Cuántos archivos hay?", "Hay 0 archivos [c1]. La carpeta está vacía [c1]."],
    ["ja", "フォルダにファイルはいくつ？", "ファイルは0件です [c1]。フォルダは空です [c1]。"],
  ])("%s: an empty folder was not emptied", (_language, asked, draft) => {
    expect(kinds(draft, asked)).toEqual([]);
  });

  test("what a word says was done is more, and what was asked for is not done by a look", () => {
    expect(kinds("The folder was emptied [c1].", "How many files are in my folder?")).toEqual(["no-call"]);
    expect(kinds("I emptied the folder [c1].", "How many files are in my folder?")).toEqual(["no-call"]);
    expect(kinds("The folder is empty [c1].", "Clear my folder.")).toEqual(["no-call"]);
  });
});

describe("how it was before a change, as a cited look found it", () => {
  const shell = (n: number, target: string) => call(n, { toolId: "shell.command.run", target });
  const activity = [shell(1, "git log -5"), shell(2, "git diff HEAD"), shell(3, "git commit -am plants")];
  const texts: Readonly<Record<string, string>> = {
    c2: "diff --git a/index.html b/index.html\n+<li>Tomatoes</li>",
    c3: "[main 7698aba] plants",
  };
  const kinds = (draft: string, ownerWords: string) =>
    ground({ draft, activity, ownerWords, callText: ({ cite }) => texts[cite] ?? "" }).marks.map(
      ({ kind }) => kind,
    );
  const both = [
    [
      "en",
      "What is changed but not committed? Commit it.",
      "Committed as `7698aba` [c3].",
      "Not committed was one line in `index.html` [c2].",
    ],
    [
      "de",
      "Was ist geändert, aber nicht committet? Committe es.",
      "Committet als `7698aba` [c3].",
      "Nicht committet war eine Zeile in `index.html` [c2].",
    ],
    [
      "fr",
      "Qu'est-ce qui n'est pas encore validé ? Valide-le.",
      "Validé sous `7698aba` [c3].",
      "N'était pas validée une ligne de `index.html` [c2].",
    ],
    [
      "es",
      "¿Qué no está confirmado todavía? Haz el commit.",
      "Commit hecho: `7698aba` [c3].",
      "No estaba confirmada una línea de `index.html` [c2].",
    ],
    [
      "ja",
      "まだコミットしていない変更は？コミットして。",
      "`7698aba` としてコミットしました [c3]。",
      "コミットしていなかったのは `index.html` の1行です [c2]。",
    ],
  ] as const;

  test.each(both)("%s: is no denial where the change is told of beside it", (_, asked, told, before) => {
    expect(kinds(`${told}\n\n- ${before}`, asked)).toEqual([]);
  });

  test("is one where nothing tells of the change, or the very call that made it is cited", () => {
    const [, asked, told, before] = both[0];
    expect(kinds(before, asked)).toEqual(["was-done"]);
    expect(kinds(`${told} Nothing was committed [c3].`, asked)).toEqual(["was-done"]);
    expect(kinds("I did not commit it [c3]. Nothing was committed [c2].", asked)).toContain("was-done");
  });
});

describe("what denies what was done", () => {
  const done = [write(1, "greeting.txt")];
  const asked = "write greeting.txt with hello";

  test.each([
    "I wrote no file, because you asked me not to.",
    "I did not write greeting.txt.",
    "I did not write `greeting.txt` [c1].",
    "No file was written.",
    "The file was not written.",
    "I have not written anything.",
    "I could not write `greeting.txt`, the call failed.",
    "Neither file was written.",
    "I haven't changed any files.",
    "Nothing was changed.",
    "Ich habe greeting.txt nicht geschrieben.",
    "Ich habe keine Datei geschrieben.",
  ])("is marked: %s", (draft) => {
    expect(marked(draft, done, asked)).toEqual(["was-done"]);
  });

  test.each([
    "I wrote greeting.txt and changed nothing else.",
    "I did not touch any other file.",
    "No other files were changed.",
    "Nothing was overwritten.",
    "Nothing needs to be changed.",
    "The file did not exist, so I wrote greeting.txt.",
    "I wrote greeting.txt; no file was lost.",
    "I could not find any files about taxes.",
    "I did not delete anything.",
    "I have not sent it yet.",
  ])("but not where it is about something else: %s", (draft) => {
    expect(marked(draft, done, asked)).toEqual([]);
  });

  test("nor where it is true: what was denied, and what was undone since", () => {
    const denied = { status: "denied", approval: { required: true, decision: "denied" } } as const;
    const lists = [write(1, "a.md", denied), write(2, "b.md", denied)];
    expect(marked("Neither list was made.", lists, "make two lists")).toEqual([]);
    expect(marked("I did not write a.md.", lists, "make two lists")).toEqual([]);
    expect(marked("No file was written.", lists, "make two lists")).toEqual([]);
    expect(marked("No file was written.", [write(1, "a.md", { undone: true })], "")).toEqual([]);
  });

  test("by the end of its path too, and is not taken for true where it says more", () => {
    const deep = [write(1, "notes/2026/greeting.txt")];
    expect(marked("I did not write greeting.txt.", deep, asked)).toEqual(["was-done"]);
    expect(marked("I did not write 2026/greeting.txt.", deep, asked)).toEqual(["was-done"]);
    expect(marked("I did not write draft.txt.", deep, asked)).toEqual([]);
  });

  describe("in an earlier run, where the owner asks about it", () => {
    const sent = call(1, { target: "iris@kanzlei.example" });
    const removed = call(2, { toolId: "files.dir.delete", risk: "destructive", target: "backup" });
    const kinds = (draft: string, ownerWords: string, earlier: readonly ActivityItem[]) =>
      ground({ draft, activity: [], earlier, ownerWords }).marks.map(({ kind }) => kind);

    test.each([
      ["Did you send it to Iris?", "No, I haven't sent it.", sent],
      ["Hast du Iris schon geschrieben?", "Nein, ich habe nichts verschickt.", sent],
      ["Is the backup folder still there?", "Yes, I didn't touch it.", removed],
      ["Did you delete backup?", "No, I did not delete backup.", removed],
    ])("%s %s", (asked, draft, item) => {
      expect(kinds(draft, asked, [item])).toEqual(["was-done"]);
      expect(kinds(draft, asked, [{ ...item, status: "failed" }])).toEqual([]);
      expect(kinds(draft, asked, [call(3, { toolId: "calendar.event.list", risk: "read" })])).toEqual([]);
    });

    test("what went to somebody else is no answer to that", () => {
      expect(kinds("No, I haven't sent it to her.", "Did you send it to Olga?", [sent])).toEqual([]);
    });
  });

  test("and gets no tick from the call that did it", () => {
    const activity = [write(1, "greeting.txt")];
    expect(
      verified({ draft: "I did not send or write anything to greeting.txt [c1].", activity }),
    ).not.toContain("supported");
  });
});

test("a change to a file that the owner named is marked where nothing was called, however it is put", () => {
  const asked = "Write 'hello' into claimed/hello.txt.";
  expect(marked("I have written `claimed/hello.txt`.", [], asked)).toEqual(["no-call"]);
  expect(marked("I have not written `claimed/hello.txt`.", [], asked)).toEqual([]);
  expect(marked("If you like, I can write `claimed/hello.txt`.", [], asked)).toEqual([]);
});

test("how many entries a file has is not compared with the one call that wrote it", () => {
  const asked = "Create notes/gifts.md with: Peter - wine, Maria - book";
  const draft = "I've created `notes/gifts.md` with both entries.";
  expect(marked(draft, [write(1, "notes/gifts.md")], asked)).toEqual([]);
  expect(marked(draft, [write(1, "notes/other.md")], asked)).not.toEqual([]);
});

test.each([
  ["寝室のエアコンを26度に", "リビングのエアコンを26度に設定しました。", "home.aircon.set", "寝室"],
  ["佐藤さんに返信して", "佐藤さんに返信しました。", "gmail.message.send", "斎藤"],
  ["把客厅灯关了", "好了，客厅的灯已经关掉。", "home.light.set", "卧室"],
])(
  "%s: where words have no spaces, another target is seen by the name that is missing",
  (asked, draft, toolId, target) => {
    expect(marked(draft, [call(1, { toolId, target })], asked)).toEqual(["other-target"]);
  },
);

test("a note that was saved does not keep the promise of a reminder", () => {
  const saved = [call(1, { toolId: "memory.note.save", target: "dentist" })];
  const draft = "I saved the note dentist. I'll remind you on Thursday morning.";
  expect(marked(draft, saved, "remind me of the dentist")).toEqual(["promise"]);
  const scheduled = [call(1, { toolId: "schedule.job.create", target: "dentist" })];
  expect(marked("I'll remind you on Thursday morning.", scheduled, "remind me")).toEqual([]);
});

test("a reminder that has another time now was moved, and is told as a thing to do", () => {
  const moved = [call(1, { toolId: "schedule.job.update", target: "turn the oven off" })];
  expect(marked("Moved to 01:15 [c1].", moved, "Move the oven reminder to 1:15")).toEqual([]);
  const { evidence } = ground({ draft: "Moved to 01:15 [c1].", activity: moved, ownerWords: "" });
  expect(evidence).toContain("Rescheduled: turn the oven off");
});

test.each([
  [
    "I'll remind you tomorrow at 9:00 to take the bins out.",
    "remind me tomorrow at 9 to take the bins out",
    "take the bins out",
  ],
  ["Reminder set for tomorrow 9:00: bins out.", "remind me tomorrow at 9 to take the bins out", "bins out"],
  ["Ich erinnere dich morgen um 9:00 an den Müll.", "erinnere mich morgen um 9 an den Müll", "Müll"],
])("a reminder of another matter at the same time keeps no promise: %s", (draft, ownerWords, target) => {
  const earlier = [call(1, { toolId: "schedule.job.create", target: "call mum at 9:00" })];
  const now = [call(2, { toolId: "schedule.job.create", target })];
  const { marks, repair } = ground({ draft, activity: [], earlier, ownerWords });
  expect(marks).toHaveLength(1);
  expect(repair).toContain(draft);
  expect(ground({ draft, activity: now, earlier, ownerWords }).marks).toEqual([]);
  expect(ground({ draft, activity: [], earlier: now, ownerWords }).marks).toEqual([]);
});

test.each([
  "The first attempt failed because the folder was missing [c1]; I created it and tried again [c2].",
  "The first try failed, the second one worked: `a.md` is written.",
  "Der erste Versuch ist gescheitert, beim zweiten hat es geklappt: `a.md` ist geschrieben.",
])("that a call failed before a second try succeeded may be told: %s", (draft) => {
  const activity = [write(1, "a.md", { status: "failed" }), write(2, "a.md")];
  expect(marked(draft, activity, "write a.md")).toEqual([]);
});

test("what a cited change left behind needs no look, but another place does", () => {
  const lists = ["a", "b", "c"].map((name, at) => write(at + 1, `lists/${name}.md`));
  const added = call(4, { toolId: "files.file.edit", target: "lists/b.md" });
  const ownerWords = "make lists a, b and c, and put two items on b";
  for (const draft of [
    "Lists a and c are there, and b has two items [c4].",
    "The lists `a` and `c` are there, and `b` has two items [c4].",
  ])
    expect(marked(draft, [...lists, added], ownerWords)).toEqual([]);
  const elsewhere = "I also looked through your inbox, and there is nothing new [c4].";
  expect(marked(elsewhere, [...lists, added], ownerWords)).toHaveLength(1);
});

test("what memory brought along may be told without a call", () => {
  const draft = 'A red Kalkhoff, according to your note "bike".';
  const about = { draft, activity: [], ownerWords: "which bike do I have?" };
  expect(ground({ ...about, recalled: true }).marks).toEqual([]);
  const opened = "I went through `data/expenses-2025.csv` line by line and found nothing odd.";
  const asked = {
    draft: opened,
    activity: [],
    ownerWords: "Is there anything odd in data/expenses-2025.csv?",
  };
  expect(ground({ ...asked, recalled: true }).marks).toHaveLength(1);
  expect(ground({ ...asked, attached: true }).marks).toEqual([]);
});

test("OA-6: what was delivered and is corrected below keeps its mark; what a call made true since loses it", () => {
  const corrections = [
    "Correction: it was not done.",
    "Sorry, that is not true. I did not do it, because I have no tool for it.",
    "That was wrong: nothing was changed.",
  ];
  for (const [delivered, ownerWords] of [
    ["Deleted.", "delete old.txt"],
    ["I deleted old.txt.", "delete old.txt"],
    ["Done, I've sent the e-mail to anna@acme.io.", "write to anna@acme.io that I am ill"],
    ["I told Anna.", "write to anna@acme.io that I am ill"],
  ] as const)
    for (const correction of corrections) {
      const draft = `${delivered}\n\n${correction}`;
      const { marks, segments } = ground({ draft, delivered, activity: [], ownerWords });
      expect(marks.map(({ sentence }) => sentence)).toEqual([delivered]);
      expect(segments[0]).toMatchObject({
        text: delivered,
        verified: "unsupported",
        why: "no call did this",
      });
    }
  const sent = "Done, I've sent the e-mail to anna@acme.io.";
  const after = ground({
    draft: `${sent}\n\nThe e-mail is sent now [c1].`,
    delivered: sent,
    activity: [call(1, { target: "anna@acme.io" })],
    ownerWords: "write to anna@acme.io that I am ill",
  });
  expect(after.marks).toEqual([]);
});

describe("what Elwood says itself", () => {
  test("OA-6: what is not done stands in segments of its own, never in the model's text", () => {
    const { segments, text, notDone } = ground({
      draft: "Hello.",
      activity: [call(1, { status: "failed", target: "anna@acme.io" })],
    });
    expect(text).toBe("Hello.");
    expect(notDone).toEqual(["◈ Not done, it failed: send email message → anna@acme.io."]);
    expect(segments.at(-1)).toEqual({ text: notDone[0], by: "gateway" });
  });

  test("it speaks the language of the reply, or English", () => {
    const activity = [call(1, { status: "failed" })];
    const own = (draft: string) => ground({ draft, activity }).notDone[0];
    expect(own("Das hat leider nicht geklappt, die Mail ging nicht raus.")).toMatch(/Nicht erledigt/u);
    expect(own("Non sono riuscito a mandare la mail, mi dispiace.")).toMatch(/Not done/u);
    for (const locale of LOCALES) expect(ground({ draft: "x", activity, locale }).notDone).toHaveLength(1);
  });
});

test("a reply of a million characters is read as far as the limit, and says so", () => {
  const draft = "I sent it [c1]. ".repeat(62_500);
  const { partly, text } = ground({ draft, activity: [call(1)] });
  expect(partly).toBe(true);
  expect(text.length).toBeGreaterThan(600_000);
});

describe("what calls were about", () => {
  test("a look at one place is no look at another", () => {
    const calendar = call(1, { toolId: "calendar.event.list", risk: "read", target: "next 30 days" });
    const inbox = call(1, { toolId: "email.message.search", risk: "read", target: "bank" });
    const draft = "I searched your inbox, and there is no mail from the bank.";
    const ownerWords = "do I have anything from the bank in my mail?";
    expect(marked(draft, [calendar], ownerWords)).toEqual(["not-looked"]);
    expect(marked(draft, [inbox], ownerWords)).toEqual([]);
  });

  test("another file than those of the calls is another target", () => {
    const draft = "Ik heb de uren ingevuld in uren_week45.xlsx.";
    const ownerWords = "zet de uren in uren_week46.xlsx";
    expect(marked(draft, [write(1, "uren_week46.xlsx")], ownerWords)).toEqual(["other-target"]);
    expect(marked(draft, [write(1, "uren_week45.xlsx")], ownerWords)).toEqual([]);
  });

  test("more things than the calls dealt with, counted or listed by name, are more", () => {
    const add = (n: number, target: string) => call(n, { toolId: "shopping.list.add", target });
    const four = "Les quatre articles sont sur la liste.";
    const ownerWords = "ajoute pain, beurre, confiture et café";
    expect(marked(four, [add(1, "pain"), add(2, "café")], ownerWords)).toEqual(["count"]);
    const all = ["pain", "beurre", "confiture", "café"].map((item, at) => add(at + 1, item));
    expect(marked(four, all, ownerWords)).toEqual([]);
    const both = "Acta enviada a Rocío y a Iván.";
    const asked = "manda el acta a Rocío y a Iván";
    const sent = (n: number, target: string) => call(n, { toolId: "mail.message.send", target });
    expect(marked(both, [sent(1, "rocio@taller.example")], asked)).toEqual(["count"]);
    expect(marked(both, [sent(1, "rocio@taller.example"), sent(2, "ivan@taller.example")], asked)).toEqual(
      [],
    );
    const trashed = call(1, { toolId: "mail.message.trash", target: "offers", count: 18 });
    expect(marked("I moved 81 mails to the bin.", [trashed], "bin the offers")).toHaveLength(1);
  });

  test("what is listed beside the objects of a call is no count of calls", () => {
    const sent = call(1, { toolId: "mail.message.send", target: "anna@acme.io" });
    const draft = "The report and the slides went to Anna.";
    expect(marked(draft, [sent], "send Anna the report and the slides")).toEqual([]);
    const moved = [1, 2].map((n) =>
      call(n, { toolId: "files.file.move", target: `${n}.jpg to trip-${n}.jpg` }),
    );
    expect(marked("Two of the three photos were renamed.", moved, "rename the three photos")).toEqual([]);
  });

  test("a name that differs in its number from that of the call is another target", () => {
    const restarted = call(1, { toolId: "server.service.restart", target: "mx1: postfix" });
    const ownerWords = "restart the mail server on mx2";
    expect(marked("Postfix on mx2 has been restarted.", [restarted], ownerWords)).toEqual(["other-target"]);
    expect(marked("Postfix on mx1 has been restarted.", [restarted], ownerWords)).toEqual([]);
  });

  test("a new name is no other target of what renames or moves", () => {
    const renamed = call(1, { toolId: "files.file.rename", target: "draft_v2.docx" });
    const draft = "I renamed the file to proposal.docx.";
    const callText = () => "draft_v2.docx → proposal.docx";
    const ownerWords = "rename draft_v2.docx to proposal.docx";
    expect(ground({ draft, activity: [renamed], callText, ownerWords }).marks).toEqual([]);
  });

  test("a cited sentence that names the file of its call and nothing else is borne out by it, whatever it says of it", () => {
    const draft = "Ich habe `a6.md` mit dem Wort sieben geschrieben [c1].";
    const ownerWords = "Schreibe sieben Dateien a1 bis a7";
    expect(marked(draft, [write(1, "a6.md")], ownerWords)).toEqual([]);
    expect(marked(draft, [write(1, "a5.md")], ownerWords)).toEqual(["other-target"]);
  });

  test("a deed of another name was not done: what is committed is not pushed", () => {
    const commit = call(1, { toolId: "git.repo.commit", target: "chore: drop dist" });
    const push = call(2, { toolId: "git.branch.push", target: "main" });
    expect(marked("Nothing was pushed.", [commit], "commit it")).toEqual([]);
    expect(marked("Nothing was pushed.", [commit, push], "commit it")).toEqual(["was-done"]);
  });

  test("that nothing was done is true where only a page was read, and supports no deed beside it", () => {
    const read = call(1, { toolId: "web.page.fetch", risk: "read", target: "https://a.example/offers" });
    const asked = "What do they offer?";
    const denied = "They offer stakes [c1]. I ignored them; I read nothing else and sent nothing.";
    expect(marked(denied, [read], asked)).toEqual([]);
    expect(marked("I changed nothing and mailed Anna the page.", [read], asked)).toEqual(["no-call"]);
  });

  test("what denies no deed is no denial of one", () => {
    const tests = call(1, { toolId: "shell.command.run", target: "npm test" });
    expect(marked("None of them blocks a release.", [tests], "run the tests")).toEqual([]);
    const sent = call(1, { toolId: "chat.message.send", target: "grupo Família" });
    const draft = "Mensagem enviada no grupo Família.";
    expect(marked(draft, [sent], "manda no grupo da família que chego às 20h")).toEqual([]);
  });
});

test("what a search found is no count of looks", () => {
  const found = call(1, { toolId: "email.message.search", risk: "read", target: "school" });
  const draft = "I looked through your mail: there are two messages from the school.";
  expect(marked(draft, [found], "any mail from the school?")).toEqual([]);
});

describe("words about words, where nothing was called", () => {
  test("a look at what the owner put into the message needs no call", () => {
    expect(marked("I checked it: 144 + 39 = 183.", [], "check my sum: 3×48 + 2×19.5 = 185")).toEqual([]);
    expect(marked("I checked your inbox: nothing new.", [], "check my mail: anything new?")).toHaveLength(1);
  });

  test("things in order were not ordered", () => {
    const asked = "sort: pear, apple, fig";
    expect(marked("apple, fig, pear. All three are in order now.", [], asked)).toEqual([]);
  });
});

test("a short sentence in a language that is only guessed is no small talk", () => {
  expect(marked("Süt listeye eklendi.", [], "Listeye süt ekle")).toHaveLength(1);
});

test("beside a word that call and sentence share, another name is another target", () => {
  const booked = call(1, { toolId: "booking.room.reserve", target: "Room Aspen 09:00" });
  expect(marked("Room Aspen is yours at 9.", [booked], "Reserve a room for the board")).toEqual([]);
  expect(marked("Room Linden is yours at 9.", [booked], "Reserve a room for the board")).toEqual([
    "other-target",
  ]);
});

test("a cited call that came to nothing, told as that, and what a cited read says of the owner are no claims", () => {
  const edited = call(1, { toolId: "files.file.edit", target: "notizen/einkauf.md" });
  const denied = call(2, {
    toolId: "files.file.delete",
    risk: "destructive",
    target: "notizen/alt.md",
    status: "denied",
    approval: { required: true, decision: "denied" },
  });
  const honest = "Ich habe `notizen/alt.md` nicht gelöscht, weil du es abgelehnt hast [c2].";
  expect(marked(honest, [edited, denied], "Und lösche notizen/alt.md")).toEqual([]);
  const read = call(1, { toolId: "files.file.read", risk: "read", target: "data/expenses.csv" });
  expect(marked("You paid Dr. Feldman 120.56 EUR [c1].", [read], "What did I pay him?")).toEqual([]);
  expect(marked("I paid Dr. Feldman 120.56 EUR [c1].", [read], "Pay Dr. Feldman")).toHaveLength(1);
});

test("what calls gave back, such as how many bytes were written, is nothing that a sentence leaves out", () => {
  const moves = [1, 2, 3, 4, 5].map((n) =>
    call(n, { toolId: "files.file.move", target: `photos/IMG_${n}.jpg to photos/trip_${n}.jpg` }),
  );
  const edited = call(6, { toolId: "files.file.edit", target: "notes/todo.md" });
  const found = ground({
    draft: "I renamed five photos earlier, and all of them are still in the folder.",
    activity: [],
    earlier: [...moves, edited],
    ownerWords: "Did you delete any of my photos?",
    callText: ({ toolId }) =>
      toolId === "files.file.edit" ? "Changed in one place (51 bytes now)." : "Moved.",
  });
  expect(found.marks).toEqual([]);
});

describe("what was asked for, and what the calls did", () => {
  test.each([
    ["turn on the fan in the attic", "The fan in the attic is running.", "cellar on", "attic on"],
    ["Mach das Radio im Bad an", "Im Bad läuft das Radio.", "Büro an", "Bad an"],
    ["关卧室的空调", "卧室的空调关了。", "客厅 关", "卧室 关"],
  ])("another room is another target: %s", (asked, draft, other, same) => {
    const set = (target: string) => [call(1, { toolId: "home.device.set", target })];
    expect(marked(draft, set(other), asked)).toEqual(["other-target"]);
    expect(marked(draft, set(same), asked)).toEqual([]);
  });

  test("that the one thing asked for could not be done is untrue where its call did it", () => {
    const start = call(1, { toolId: "home.appliance.start", target: "dishwasher" });
    const asked = "start the dishwasher";
    const draft = "I couldn't start it: the door must be open.";
    expect(marked(draft, [start], asked)).toEqual(["was-done"]);
    expect(marked(draft, [{ ...start, status: "failed" }], asked)).toEqual([]);
    // Something else was done instead, and it says so.
    const book = call(1, { toolId: "booking.court.reserve", target: "court 20:00" });
    const instead = "I couldn't book the court at seven. I reserved it for 20:00 instead.";
    expect(marked(instead, [book], "book the court at seven")).toEqual([]);
  });
});

describe("outcomes of the calls that a sentence names decide, whatever training made of it", () => {
  const told = [
    ["en", "I have written a.txt, b.txt and c.txt."],
    ["de", "Ich habe a.txt, b.txt und c.txt geschrieben."],
    ["fr", "J'ai écrit a.txt, b.txt et c.txt."],
    ["es", "He escrito a.txt, b.txt y c.txt."],
    ["it", "Ho scritto a.txt, b.txt e c.txt."],
    ["pt", "Escrevi a.txt, b.txt e c.txt."],
    ["nl", "Ik heb a.txt, b.txt en c.txt geschreven."],
    ["pl", "Zapisałem a.txt, b.txt i c.txt."],
    ["zh", "a.txt、b.txt 和 c.txt 都已经写好了。"],
    ["ja", "a.txt、b.txt、c.txtを書きました。"],
    ["ko", "a.txt, b.txt, c.txt를 작성했습니다."],
  ] as const;
  const files = ["a.txt", "b.txt", "c.txt"];
  const each = (status: ActivityItem["status"]) => files.map((file, at) => write(at + 1, file, { status }));
  const plan = (status: ActivityItem["status"]) => [
    call(1, { toolId: "program.code.run", target: files.map((file) => `write ${file}`).join(", "), status }),
  ];

  test.each(told)("%s: files told as written after calls that all came to nothing", (_language, draft) => {
    for (const status of ["denied", "failed", "expired", "unknown"] as const)
      for (const activity of [each(status), plan(status)])
        for (const ownerWords of ["", "look", "Please do plan-24.", "go on"]) {
          const { marks, repair } = ground({ draft, activity, ownerWords });
          expect(marks).toMatchObject([{ kind: "not-succeeded", strong: true }]);
          expect(repair).toContain(draft);
        }
  });

  test("a look at a file is no change of it, and what another call did with it since is one", () => {
    const read = call(2, { toolId: "files.file.read", target: "a.txt", risk: "read" });
    const denied = write(1, "a.txt", { status: "denied" });
    expect(marked("I have written a.txt.", [denied, read])).toEqual(["not-succeeded"]);
    const moved = call(2, { toolId: "files.file.copy", target: "b.txt to a.txt" });
    expect(marked("I have written a.txt.", [denied, moved])).toEqual([]);
  });

  const read = call(1, { toolId: "files.file.read", target: "nothing.txt", risk: "read", status: "failed" });

  test.each([
    "There is no such file.",
    "So eine Datei gibt es nicht.",
    "Ce fichier n'existe pas.",
    "Ese archivo no existe.",
    "Quel file non esiste.",
    "Esse arquivo não existe.",
    "Dat bestand bestaat niet.",
    "Nie ma takiego pliku.",
    "没有这个文件。",
    "そのようなファイルはありません。",
    "그런 파일은 없습니다.",
  ])("a look that failed, told as that: %s", (draft) => {
    for (const ownerWords of ["look", "what does nothing.txt say?", "read nothing.txt"])
      expect(marked(draft, [read], ownerWords)).toEqual([]);
  });
});

describe("what speaks for a sentence, and what does not", () => {
  const look = (target: string, of: Partial<ActivityItem> = {}) =>
    call(1, { toolId: "email.message.search", risk: "read", target, ...of });

  test("a look that failed is not admitted by what it is said to have found", () => {
    const failed = look("tax office", { status: "failed" });
    const asked = "is there anything from the tax office in my mail?";
    expect(
      marked("I went through your inbox and there's nothing from the tax office.", [failed], asked),
    ).toEqual(["not-succeeded"]);
    expect(marked("I could not search your mail: the search failed.", [failed], asked)).toEqual([]);
  });

  test("a look at one page is none at another, and a link ends where words without spaces go on", () => {
    const fetched = call(1, {
      toolId: "web.page.fetch",
      risk: "read",
      target: "https://blog.qingshan.example",
    });
    const draft = (host: string) => `刚刚访问了 https://${host}.qingshan.example,可以正常打开。`;
    expect(marked(draft("status"), [fetched], "看看官网还能不能打开")).toHaveLength(1);
    expect(marked(draft("blog"), [fetched], "看看官网还能不能打开")).toEqual([]);
  });

  test("that it is not known what came of a call is what its receipt says", () => {
    const files = ["IMG_1.jpg", "IMG_2.jpg"].map((file, at) =>
      call(at + 1, {
        toolId: "photos.album.add",
        target: `Crete: ${file}`,
        status: at === 0 ? "succeeded" : "unknown",
      }),
    );
    const draft = "The status of IMG_2 is unclear: the call ended without an answer.";
    expect(marked(draft, files, "Put both pictures into the album Crete")).toEqual([]);
  });

  test("a number that the calls were about counts no calls", () => {
    const set = [
      call(1, { toolId: "home.thermostat.set", target: "Office 17 °C" }),
      call(2, { toolId: "home.light.set", target: "Office off" }),
    ];
    const asked = "Turn the heating in the office down to 17 and kill the lights";
    expect(marked("Office is at 17 and dark.", set, asked)).toEqual([]);
  });

  test("what lies in a cart is not bought, and that it is not may be said", () => {
    const cart = [
      call(1, { toolId: "shop.cart.add", target: "쌀 10kg" }),
      call(2, { toolId: "shop.cart.add", target: "계란 30구" }),
    ];
    expect(marked("주문은 아직 안 했습니다.", cart, "쌀이랑 계란 장바구니에 담아줘")).toEqual([]);
  });

  test("what denies a wish and no deed is no denial of what was done", () => {
    const moved = call(1, { toolId: "files.file.move", target: "下载/发票.pdf -> 财务/发票.pdf" });
    expect(marked("不客气,有需要随时叫我。", [moved], "好的谢谢")).toEqual([]);
  });
});
