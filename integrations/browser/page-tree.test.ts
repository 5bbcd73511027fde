import { describe, expect, test } from "vitest";
import { safeName } from "./save-actions.ts";
import { BROWSER_LIMITS } from "./limits.ts";
import { findTarget, type PageNode } from "./page-tree.ts";
import { secretField } from "./secret-field.ts";
import { ShownPreviews } from "./shown-previews.ts";

const nodes: PageNode[] = [
  { ref: "e1", role: "heading", name: "Send" },
  { ref: "e2", role: "button", name: "Send" },
  { ref: "e3", role: "link", name: "Send  a\nCopy" },
  { ref: "f2e4", role: "button", name: "Cancel" },
  { ref: "e5", role: "paragraph", name: "Only text" },
];
const find = (target: string) => findTarget(nodes, target, BROWSER_LIMITS).ref;

describe("a target", () => {
  test.each([
    ["e3", "e3"],
    ["f2e4", "f2e4"],
    ['heading "send"', "e1"],
    ["Send", "e2"],
    ["send a copy", "e3"],
    ["copy", "e3"],
    ["only text", "e5"],
  ])("%j means %s", (target, ref) => {
    expect(find(target)).toBe(ref);
  });

  test.each([["e9"], ['button "Copy"'], ['link "Send"'], ["nothing"], [""]])(
    "%j means nothing there",
    (target) => {
      expect(() => find(target)).toThrow(/Nothing was done/);
    },
  );

  test("that means several is told with all of them, up to a limit", () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ ref: `e${at}`, role: "button", name: "Go" }));
    expect(() => findTarget(many, "Go", BROWSER_LIMITS)).toThrow(/50 things.*e0 button "Go".*and 42 more/);
  });
});

describe("a field for secrets", () => {
  test.each([
    [{ type: "password" }],
    [{ type: "PASSWORD" }],
    [{ autocomplete: "current-password" }],
    [{ autocomplete: "section-a one-time-code" }],
    [{ autocomplete: "cc-csc" }],
    [{ hints: ["user_password"] }],
    [{ hints: ["Passwort"] }],
    [{ hints: ["PIN"] }],
    [{ hints: ["card-number"] }],
    [{ hints: ["CVV"] }],
    [{ hints: ["2FA code", "otp"] }],
  ])("is known by %j", (field) => {
    expect(secretField({ type: "", autocomplete: "", hints: [], ...field })).toBeDefined();
  });

  test.each([["search"], ["Your name"], ["shipping address"], ["opinion"], ["Spinning"], ["tokens used"]])(
    "is not seen in %j",
    (hint) => {
      expect(secretField({ type: "text", autocomplete: "name", hints: [hint] })).toBeUndefined();
    },
  );
});

test.each([
  ["report.pdf", "report.pdf"],
  ["../../etc/passwd", "passwd"],
  ["..\\..\\a.exe", "a.exe"],
  [".bashrc", "bashrc"],
  ["-rf", "rf"],
  ["a\u202etxt.exe", "a_txt.exe"],
  ["con\u0000trol\n.txt", "con_trol_.txt"],
  ["", "download"],
  ["...", "download"],
  ["päper ✓.md", "päper ✓.md"],
])("a file that a page calls %j is saved as %j", (given, name) => {
  expect(safeName(given)).toBe(name);
});

test("a very long name keeps its ending and becomes short", () => {
  const name = safeName(`${"ä".repeat(500)}.pdf`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
  expect(name.endsWith(".pdf")).toBe(true);
});

test("what was shown for a call counts once, for that call and that conversation", () => {
  const shown = new ShownPreviews(2);
  shown.keep("s1", "click", { target: "e1" }, "a button");
  expect(shown.take("s2", "click", { target: "e1" })).toBeUndefined();
  expect(shown.take("s1", "click", { page: undefined, target: "e1" })).toBe("a button");
  expect(shown.take("s1", "click", { target: "e1" })).toBeUndefined();
  for (const target of ["e1", "e2", "e3"]) shown.keep("s1", "click", { target }, target);
  expect(shown.take("s1", "click", { target: "e1" })).toBeUndefined();
  expect(shown.take("s1", "click", { target: "e3" })).toBe("e3");
});
