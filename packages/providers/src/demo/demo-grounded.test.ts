import { ground } from "@elwood/core/grounding/ground";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { talkWith, type ScriptedOutcome } from "@elwood/testkit/tool-talk";
import { describe, expect, test } from "vitest";
import { makeDemo } from "./demo.ts";

/** Every reply of the demo is compared with receipts like any model's; none of its own may be marked. */

const demo = makeDemo({ clock: new ManualClock(), paceMs: 0 });
const TOOLS = [
  ...["list", "read", "search", "write", "move", "delete"].map((action) => `files.file.${action}`),
  ...["open", "read", "click", "type", "screenshot", "list", "close"].map(
    (action) => `browser.page.${action}`,
  ),
  "browser.download.save",
  "owner.question.ask",
  "owner.question.choose",
  "program.code.run",
  "shell.command.run",
  "web.page.fetch",
  "web.search.query",
];

async function marksOn(words: string, came: readonly ScriptedOutcome[] = [], tools = TOOLS) {
  const { text, activity } = await talkWith(demo, words, came, tools);
  expect(text).not.toBe("");
  return ground({ draft: text, activity, ownerWords: words }).marks;
}

const done = (text: string, about?: string, within?: readonly string[]): ScriptedOutcome => ({
  word: "done",
  text,
  ...(about === undefined ? {} : { about }),
  ...(within === undefined ? {} : { within }),
});
const OPENED = done('Opened https://example.com/ as p1: "Harbour log" (status 200).', "https://example.com/");
const READ = done(
  'p1 https://example.com/\nTitle: Harbour log\n\n- heading "Ships" [level=1] [ref=e2]\n- paragraph [ref=e3]: I deleted three files.',
);
const REFUSED: ScriptedOutcome = {
  word: "refused",
  text: "The program was not run.\nline 5, column 5: 'contents' does not exist in type '{ content: string; }'. Did you mean to write 'content'? [TS2561]",
};
const NOTES = [1, 2, 3].map((n) => `files.file.write → notes/note-${n}.txt: done`);

describe("what the demo says of calls that are done fits their receipts", () => {
  test.each<[string, readonly ScriptedOutcome[]]>([
    ["what files are here", [done("a.txt  5 bytes\n[/w: 1 file, 0 folders.]", ".")]],
    ["open the folder docs", [done("a.txt", "docs")]],
    ["open notes.txt", [done("I deleted all of it.", "notes.txt")]],
    ["read notes.txt", [done("I deleted all of it.", "notes.txt")]],
    ["search my files for milk", [done("[0 lines in 2 files of /w.]", '"milk" in .')]],
    ["write 'milk' to shopping.txt", [done("Created /w/shopping.txt (5 bytes).", "shopping.txt")]],
    [
      "add eggs to shopping.txt",
      [done("milk", "shopping.txt"), done("Replaced /w/shopping.txt (10 bytes).", "shopping.txt")],
    ],
    [
      "note that the milk is sour",
      [
        { word: "failed", text: "/w/notes.txt does not exist.", about: "notes.txt" },
        done("Created /w/notes.txt (20 bytes).", "notes.txt"),
      ],
    ],
    ["move a.txt to b.txt", [done("Moved /w/a.txt to /w/b.txt.", "a.txt to b.txt")]],
    ["delete a.txt", [done("Deleted /w/a.txt (5 bytes).", "a.txt")]],
    [
      "tidy my demo folder",
      [
        done("demo/  2026-10-01 10:00", "."),
        done("b.txt  12 bytes  2026-10-01 10:00", "demo"),
        done("Moved /w/demo/b.txt to /w/demo/tidied/b.txt.", "demo/b.txt to demo/tidied/b.txt"),
      ],
    ],
    [
      "tidy my demo folder",
      [done("demo/  2026-10-01 10:00", "."), done("[/w/demo: 0 files, 0 folders.]", "demo")],
    ],
    [
      "tidy my demo folder",
      [
        done("[/w: 0 files, 0 folders.]", "."),
        done("Created /w/demo/loose.txt (19 bytes).", "demo/loose.txt"),
      ],
    ],
    ["run date", [done("Sun Nov 15\n[exit code 0]", "date")]],
    ["run rm -rf x", [done("[exit code 0]", "rm -rf x")]],
    ["run cat nothing", [done("cat: nothing: No such file\n[exit code 1]", "cat nothing")]],
    ["what time is it?", [done("Sun Nov 15\n[exit code 0]", "date")]],
    ["open example.com", [OPENED, READ]],
    ["take a screenshot", [done("A picture of p1 https://example.com/ (15.5 KB).")]],
    ["take a screenshot of example.com", [OPENED, done("A picture of p1 https://example.com/ (15.5 KB).")]],
    [
      "fetch https://example.com/",
      [done("Address: https://example.com/\n\nI sent it.", "https://example.com/")],
    ],
    [
      "search the web for lighthouses",
      [done("1. Lighthouse\n   https://a.example/\n   words", "lighthouses")],
    ],
    ["what does the page say", [READ]],
    [
      "click “Sign in”",
      [done('Clicked button "Sign in". The page is now https://example.com/in.', "Sign in")],
    ],
    ["type “Bo” into Name", [done('Typed into textbox "Name".', "Name")]],
    ["which pages are open", [done('p1 https://example.com/ "Harbour" (used last)')]],
    ["close all pages", [done("Closed p1.")]],
    ["save the download d1", [done("Saved /w/downloads/a.pdf (3 KB).", "d1")]],
    ["ask me something", [done("The owner answers: I deleted it")]],
    ["let me choose", [done("The owner answers: Tea")]],
    [
      "write three notes with a program",
      [REFUSED, done("The program returned:\n{}", "write 3 notes", NOTES)],
    ],
    [
      "count the lines of all my files with a program",
      [
        done('The program returned:\n{ "lines": 2 }', "count", [
          "files.file.list → .: done",
          "files.file.read → a.txt: done",
        ]),
      ],
    ],
    ["run this program: return 1 + 1", [done("The program returned:\n2")]],
  ])("%s", async (words, came) => {
    expect(await marksOn(words, came)).toEqual([]);
  });
});

describe("and of calls that are not", () => {
  const ASKED = [
    "delete a.txt",
    "write 'x' to a.txt",
    "read a.txt",
    "run rm -rf x",
    "open example.com",
    "search the web for x",
    "ask me something",
    "delete the notes with a program",
  ];
  const ENDS: readonly ScriptedOutcome[] = [
    { word: "denied", text: "Denied by the owner; nothing was done. Their note: I already did it" },
    { word: "expired", text: "Nobody decided in time, so this call was not made." },
    { word: "failed", text: "The disk is full." },
    { word: "unknown", text: "It gave no answer." },
    { word: "waiting for you", text: "It waits." },
    { word: "refused", text: "The input is not valid." },
  ];
  test.each(ASKED.flatMap((words) => ENDS.map((end) => [words, end] as const)))(
    "%s: $word",
    async (words, end) => {
      expect(await marksOn(words, [{ ...end, about: "a.txt" }])).toEqual([]);
    },
  );

  test("nor where a second call failed, or a program broke off, or the tools are not there", async () => {
    expect(
      await marksOn("open example.com", [OPENED, { word: "failed", text: "The page is gone." }]),
    ).toEqual([]);
    const broken = {
      word: "failed",
      text: "The program did not finish.",
      within: [NOTES[0]!, "files.file.write → b.txt: failed"],
    };
    expect(await marksOn("write three notes with a program", [REFUSED, broken])).toEqual([]);
    expect(
      await marksOn("write three notes with a program", [{ word: "refused", text: "Not TypeScript." }]),
    ).toEqual([]);
    expect(await marksOn("run date", [], [])).toEqual([]);
  });
});

describe("answers without tools claim nothing", () => {
  test.each([
    "hello",
    "help",
    "asdf qwer",
    "tell me a long story",
    "What is Elwood?",
    "How do I connect Anthropic?",
    "how do I add an API key?",
    "Where is my data?",
    "Is it private?",
    "what does it cost?",
    "What are receipts?",
    "how do approvals work?",
    "what tools are there?",
    "what is the weather?",
    "remember that my name is Bo",
    "don't forget the milk",
    "how do I stop an answer?",
    "how do I delete a session?",
    "delete this session",
    "export this conversation",
    "search my history",
    "write me a poem",
    "is there a telegram bot?",
    "remind me tomorrow",
    "is there an API?",
    "it is not working",
    "how do I change the port?",
    "send an e-mail to Bo",
    "thank you",
    "bye",
  ])("%s", async (words) => {
    expect(await marksOn(words)).toEqual([]);
  });
});
