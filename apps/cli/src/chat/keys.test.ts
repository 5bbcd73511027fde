import { expect, test } from "vitest";
import { KEY_ACTIONS, keyInWords, keysIn, readKeys, USUAL_KEYS } from "./keys.ts";

test("a file changes the keys it names and leaves the others", async () => {
  const { keys, problems } = await keysIn("sessions: Alt+S\nhistory: [ctrl+r, f7]\npanes: []\n", "keys.yaml");
  expect(problems).toEqual([]);
  expect(keys).toEqual({ ...USUAL_KEYS, sessions: ["alt+s"], history: ["ctrl+r", "f7"], panes: [] });
});

test.each([
  ["sessions: [ctrl+o", /is not valid YAML.*usual keys count/],
  ["- ctrl+o", /must have lines such as/],
  ["fly: ctrl+o", /there is no action “fly”/],
  ["sessions: o", /“o” of sessions is no key/],
  ["sessions: hyper+o", /“hyper\+o” of sessions is no key/],
  ["sessions: 7", /“7” of sessions is no key/],
  ["sessions: ctrl+g", /ctrl\+g is both sessions and editor/],
])("what cannot be used of a file is said in a line: %s", async (text, problem) => {
  expect((await keysIn(text, "keys.yaml")).problems.join("\n")).toMatch(problem);
});

test("without a file the usual keys count; a folder in its place is said", async () => {
  expect(await readKeys("/nowhere/keys.yaml")).toEqual({ keys: USUAL_KEYS, problems: [] });
  expect((await readKeys("/")).problems.join()).toContain("cannot be read");
});

test("no usual key does two things", async () => {
  expect((await keysIn("", "keys.yaml")).problems).toEqual([]);
  const all = Object.values(KEY_ACTIONS).flatMap(({ keys }) => [...keys] as string[]);
  expect(new Set(all).size).toBe(all.length);
  expect(keyInWords("shift+tab")).toBe("Shift+Tab");
});
