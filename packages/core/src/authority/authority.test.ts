import { describe, expect, test } from "vitest";
import { authorise, criticalOf, denied, useKey, usedUp, type CallEffect } from "./authority.ts";

const HERE = {
  egress: "none",
  output: "trusted",
  critical: [],
  ids: {},
  content: [],
  time: [],
  sensitive: false,
} as const;
const file = (id: string, more: { readonly parts?: boolean } = {}) => ({
  id,
  risk: "write" as const,
  canUndo: true,
  input: {},
  labels: { ...HERE, critical: ["path"], content: ["content"], ...more },
});
const WRITE = file("files.file.write");
const EDIT = file("files.file.edit", { parts: true });
const MOVE = {
  ...WRITE,
  id: "files.file.move",
  labels: { ...HERE, critical: ["from", "to", "overwrite"] },
};
const MAIL = {
  id: "mail.message.send",
  risk: "write" as const,
  canUndo: false,
  input: {},
  labels: { ...HERE, egress: "third_party" as const, critical: ["to"], content: ["body"] },
};

function asked(
  contract: typeof WRITE | typeof MOVE | typeof MAIL,
  typed: string,
  input: object,
  effect: CallEffect = {},
) {
  const aliases = Object.fromEntries(
    Object.entries(input)
      .filter(([name]) => ["path", "from", "to"].includes(name) && contract !== MAIL)
      .map(([name, value]) => [name, [String(value)]]),
  );
  return authorise(contract, input, { typed: [typed], seen: [] }, { aliases }, effect);
}

describe("an ordinary change that the owner plainly asked for", () => {
  test.each([
    ["In notes/todo.md, tick off 'call the plumber' under Office", "notes/todo.md"],
    ['Add Kilian to those present in "Meeting notes 26 May.md"', "Meeting notes 26 May.md"],
    ["Make run-tests.sh pass, the mistake is in src/split.py", "src/split.py"],
    ["Streich Milch aus todo.md", "todo.md"],
    ["Quita la leche de todo.md", "todo.md"],
    ["Enlève le lait de todo.md", "todo.md"],
    ["todo.mdから牛乳を消して", "todo.md"],
    ["I would like todo.md to have eggs", "todo.md"],
    ["Ich hätte gern Eier in todo.md", "todo.md"],
    ["Quiero huevos en todo.md", "todo.md"],
    ["Cross out 'buy milk' in todo.md", "todo.md"],
    ["Rename the heading in notes.md to Plans", "notes.md"],
    ["Rewrite notes.md so that it is shorter", "notes.md"],
    ["Summarise notes.md into summary.md", "summary.md"],
    ["Fasse notes.md in summary.md zusammen", "summary.md"],
    ["Resume notes.md en resumen.md", "resumen.md"],
    ["Write a poem about rain to rain.md", "rain.md"],
    ["Merge a.md and b.md into c.md", "c.md"],
  ])("%j names %s", (typed, path) => {
    expect(asked(EDIT, typed, { path, content: "x" })).toMatchObject({ authorised: true });
  });

  test.each([
    ["scan 1.pdf", "invoice-moser.pdf"],
    ["scan 2.pdf", "invoice-bauer.pdf"],
    ["scan 3.pdf", "invoice-huber.pdf"],
  ])("a list of renames names each of them: %s to %s", (from, to) => {
    const typed =
      "Rename scan 1.pdf to invoice-moser.pdf, scan 2.pdf to invoice-bauer.pdf and scan 3.pdf to invoice-huber.pdf";
    expect(asked(MOVE, typed, { from, to })).toMatchObject({ authorised: true });
    expect(asked(MOVE, typed, { from, to: "invoice-other.pdf" })).toMatchObject({ authorised: false });
  });
});

describe("an issue by its number and its repository", () => {
  const out = { ...HERE, egress: "third_party" as const };
  const COMMENT = {
    ...MAIL,
    id: "github.comment.create",
    labels: { ...out, critical: ["repository", "number"], content: ["body"] },
  };
  const CHANGE = {
    ...MAIL,
    id: "github.issue.update",
    labels: {
      ...out,
      critical: ["repository", "number", "state"],
      verbs: ["write", "control", "delete"] as const,
    },
  };
  const comments = (typed: string, given: object = {}) =>
    authorise(
      COMMENT,
      { repository: "me/notes", number: 7, body: "It works now", ...given },
      { typed: [typed], seen: [] },
    );
  const changes = (typed: string, state: string) =>
    authorise(CHANGE, { repository: "me/notes", number: 8, state }, { typed: [typed], seen: [] });

  test.each([
    "Comment on issue 7 in me/notes: it works now",
    "Comment on me/notes#7 that it works now",
    "Reply on issue #7 of me/notes: it works now",
    "Kommentiere Issue 7 in me/notes: it works now",
    "Commente l'issue 7 de me/notes : it works now",
    "Comenta en la incidencia 7 de me/notes: it works now",
  ])("%j asks for the comment", (typed) => {
    expect(comments(typed)).toMatchObject({ authorised: true });
    expect(comments(typed, { number: 8 })).toMatchObject({ authorised: false });
    expect(comments(typed, { repository: "me/notes2" })).toMatchObject({ authorised: false });
    expect(comments(typed, { body: "It works now, ask Eve" })).toMatchObject({ authorised: false });
  });

  test("without its repository it asks, and says that one is missing", () => {
    expect(comments("Comment on issue 7 that it works now")).toMatchObject({
      reason: "You didn't name “me/notes” (repository); the model wrote it.",
    });
  });

  test.each([
    ["Close issue 8 in me/notes", "closed", "open"],
    ["Close me/notes#8", "closed", "open"],
    ["Schließ Issue 8 in me/notes", "closed", "open"],
    ["Cierra la incidencia 8 de me/notes", "closed", "open"],
    ["Reopen issue 8 in me/notes", "open", "closed"],
    ["Rouvre l'issue 8 de me/notes", "open", "closed"],
  ])("%j says %s and not %s", (typed, said, other) => {
    expect(changes(typed, said)).toMatchObject({ authorised: true });
    expect(changes(typed, other)).toMatchObject({ authorised: false });
  });

  test.each([
    "Don't close issue 8 in me/notes",
    "Should I close issue 8 in me/notes?",
    "Close it in me/notes",
  ])("%j asks", (typed) => {
    expect(changes(typed, "closed")).toMatchObject({ authorised: false });
  });
});

test("a thing that the owner did not name is told by its name, and not by its id", () => {
  const CANCEL = {
    ...MAIL,
    id: "calendar.event.delete",
    labels: { ...HERE, critical: ["event"], ids: { event: "event" }, verbs: ["delete" as const] },
  };
  const listed = {
    events: [
      { id: "e1", title: "Dentist" },
      { id: "e2", title: "Team lunch" },
    ],
  };
  const seen = [
    {
      callId: "call_1",
      toolId: "calendar.event.list",
      trust: "untrusted" as const,
      sensitive: true,
      lists: "event",
      value: listed,
    },
  ];
  const cancels = (event: string) =>
    authorise(CANCEL, { event }, { typed: ["Cancel my dentist appointment"], seen });
  expect(cancels("e1")).toMatchObject({ authorised: true });
  expect(cancels("e2")).toMatchObject({
    rule: "authority.reference",
    reason: expect.stringMatching(/^You didn't name “Team lunch” \(event\) in your message; it came from /),
  });
  expect(cancels("e3")).toMatchObject({
    reason:
      "You didn't name “e3” (event), and nothing that was listed here is known by that; the model wrote it.",
  });
});

describe("what a text is made from, or asked about, is not what is changed", () => {
  test.each([
    ["Summarise notes.md into summary.md", "notes.md"],
    ["Resume notes.md en resumen.md", "notes.md"],
    ["Write a summary of data.csv to summary.md", "data.csv"],
    ["Merge a.md and b.md into c.md", "b.md"],
    ["Convert data.csv to data.json", "data.csv"],
    ["Make run-tests.sh pass, the mistake is in src/split.py", "run-tests.sh"],
    ["Remove todo.md", "todo.md"],
    ["I would like to know what is in todo.md", "todo.md"],
    ["I would like a summary of todo.md", "todo.md"],
    ["Summarise what is in notes.md", "notes.md"],
  ])("%j does not ask to change %s", (typed, path) => {
    expect(asked(WRITE, typed, { path, content: "x" })).toMatchObject({ authorised: false });
  });
});

test("a quoted line of an answer names nothing", () => {
  const answered = (answer: string) =>
    authorise(
      WRITE,
      { path: "todo.md", content: "x" },
      { typed: ["Write milk into the list"], seen: [], answers: [{ question: "Into which file?", answer }] },
      { aliases: { path: ["todo.md"] } },
    );
  expect(answered("todo.md")).toMatchObject({ authorised: true });
  expect(answered("as she says:\n> into todo.md")).toMatchObject({ authorised: false });
});

describe("how much a change may take away", () => {
  const todo = { path: "todo.md", content: "x" };
  test("adding takes nothing away", () => {
    expect(asked(WRITE, "Add eggs to todo.md", todo)).toMatchObject({ authorised: true });
    expect(asked(WRITE, "Add eggs to todo.md", todo, { loses: "some" })).toMatchObject({
      authorised: false,
      rule: "authority.loss",
    });
  });
  test("most of a file goes only where that is asked for, and all of it only where it is to be empty", () => {
    expect(asked(WRITE, "Update todo.md", todo, { loses: "some" })).toMatchObject({ authorised: true });
    expect(asked(WRITE, "Update todo.md", todo, { loses: "most" })).toMatchObject({ authorised: false });
    expect(asked(WRITE, "Overwrite todo.md", todo, { loses: "most" })).toMatchObject({ authorised: true });
    expect(asked(WRITE, "Overwrite todo.md", todo, { loses: "all" })).toMatchObject({ authorised: false });
    expect(asked(WRITE, "Clear todo.md", todo, { loses: "all" })).toMatchObject({ authorised: true });
  });
});

describe("what is used up", () => {
  test("a file is changed once, whatever is written and however its path is spelled", () => {
    const once = useKey(WRITE, { path: "todo.md", content: "a" }, { spelling: { path: "/f/todo.md" } });
    expect(useKey(WRITE, { path: "./todo.md", content: "b" }, { spelling: { path: "/f/todo.md" } })).toBe(
      once,
    );
    expect(useKey(WRITE, { path: "other.md", content: "a" }, { spelling: { path: "/f/other.md" } })).not.toBe(
      once,
    );
  });
  test("a list asks for as many changes of parts, but for one of the whole", () => {
    const times = (contract: typeof WRITE, typed: string) => {
      const found = asked(contract, typed, { path: "todo.md", content: "x" });
      return found.authorised ? found.use.times : undefined;
    };
    expect(times(EDIT, "Tick off milk and eggs in todo.md")).toBe(2);
    expect(times(WRITE, "Tick off milk and eggs in todo.md")).toBe(1);
    expect(times(EDIT, "Fix all the typos in todo.md")).toBe(20);
    expect(times(EDIT, "Fix the title in todo.md")).toBe(1);
  });
  test("calls of different tools about the same thing are alike", () => {
    expect([...criticalOf(EDIT, { path: "./a.md" }, { spelling: { path: "/f/a.md" } })]).toEqual(["/f/a.md"]);
    expect(
      criticalOf(MOVE, { from: "a.md", to: "b.md" }, { spelling: { from: "/f/a.md", to: "/f/b.md" } }),
    ).toContain("/f/a.md");
  });
});

describe("the reason", () => {
  const reasonOf = (contract: typeof WRITE | typeof MAIL, typed: string, input: object) => {
    const found = asked(contract, typed, input);
    return found.authorised ? undefined : found.reason;
  };
  test.each([
    [
      "What is in todo.md?",
      { path: "todo.md" },
      "Elwood read your message as a question, not as a request for this.",
    ],
    [
      "Never touch todo.md",
      { path: "todo.md" },
      "Elwood could not tell from your message whether you want something written or changed.",
    ],
    ["Do not change todo.md", { path: "todo.md" }, "Elwood read your message as asking not to do this."],
    [
      "I think of todo.md",
      { path: "todo.md" },
      "Elwood could not tell from your message whether you want something written or changed.",
    ],
    ["Change todo.md", { path: "notes.md" }, "You didn't name “notes.md” (path); the model wrote it."],
    [
      "Change my todo list",
      { path: "todo.md" },
      "Elwood could not tell from your message whether you mean “todo.md” (path); the model wrote it.",
    ],
  ])("%j: %j", (typed, input, reason) => {
    expect(reasonOf(WRITE, typed, { ...input, content: "secret words" })).toBe(reason);
  });

  test("names no content: neither what the owner wrote nor what would be written", () => {
    const body = "Look at https://evil.example/plan and call 0171 5550 1234";
    const typed = "Send anna@acme.example my very private greetings";
    const refused = asked(MAIL, typed, { to: "anna@acme.example", body });
    expect(refused).toMatchObject({
      authorised: false,
      rule: "authority.content",
      reason: "Its body contains a link or host that you did not write; the model wrote it.",
      clause: typed,
    });
    const allowed = asked(MAIL, typed, { to: "anna@acme.example", body: "hello" });
    if (!allowed.authorised) throw new Error(allowed.reason);
    for (const each of [allowed.reason, usedUp(allowed).reason, denied(allowed).reason])
      expect(each).not.toMatch(/private|greetings/);
  });
});

describe("a note", () => {
  const SAVE = { ...WRITE, id: "memory.note.save", labels: { ...HERE, content: ["content"] } };
  const saves = (typed: string, content: string) =>
    authorise(SAVE, { key: "school", content }, { typed: [typed], seen: [] });

  test.each([
    [
      "Remember that Mrs. Hauer leaves at Easter and Jonas gets Mr. Fink as his teacher.",
      "- Mrs. Hauer leaves at Easter and Jonas gets Mr. Fink as his teacher",
    ],
    [
      "Remember that Dr. Ott teaches drawing and Jonas likes him.",
      "- Dr. Ott teaches drawing and Jonas likes him",
    ],
    ["Merk dir: Hr. Dr. Berger kommt am Montag.", "- Hr. Dr. Berger kommt am Montag"],
  ])("in the owner's very words is theirs, titles or not: %s", (typed, content) => {
    expect(saves(typed, content)).toMatchObject({ authorised: true });
  });

  test("that joins what two sentences say is not", () => {
    const typed = "Remember that Dr. Ott teaches drawing. Eve wants the money.";
    expect(saves(typed, "- Dr. Ott wants the money")).toMatchObject({ authorised: false });
    expect(
      saves("Remember that Dr. Ott teaches. Eve wants the money.", "- Ott teaches Eve the money"),
    ).toMatchObject({
      authorised: false,
    });
  });
});
