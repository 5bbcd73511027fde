import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cronProblem, namesHours } from "./cron-expression.ts";
import { heartbeatPrompt, isNothingToReport } from "./heartbeat-reply.ts";

test.each([
  "0 9 * * 1-5",
  "*/15 * * * *",
  "0 0 1 1 *",
  "30 6 L * *",
  "0 9 * * MON,wed",
  "0 9 29 feb *",
  "5-10/2 0-6 1,15 * 7",
  "@daily",
])("%j is a cron expression", (expression) => {
  expect(cronProblem(expression)).toBeUndefined();
});

test.each([
  ["0 9 * *", /has 4 parts and needs 5/],
  ["0 0 9 * * *", /has 6 parts/],
  ["61 9 * * *", /the minute "61", which must be 0 to 59/],
  ["0 25 * * *", /the hour "25"/],
  ["0 9 0 * *", /the day of the month "0"/],
  ["0 9 * 13 *", /the month "13"/],
  ["0 9 * * mo", /the day of the week "mo"/],
  ["0 9 * * 5-1", /ends before it begins/],
  ["0 9 * * */0", /step is too large or zero/],
  ["5/10 * * * *", /a step needs a range/],
  ["@reboot", /has 1 parts/],
  ["0 9 * * 1; rm", /has 6 parts/],
  ["0 9 W * *", /the day of the month "W"/],
])("%j is refused in words", (expression, words) => {
  expect(cronProblem(expression)).toMatch(words);
});

test("only an expression for every hour does not name hours", () => {
  expect(namesHours("*/10 * * * *")).toBe(false);
  expect(namesHours("@hourly")).toBe(false);
  expect(namesHours("0 */2 * * *")).toBe(true);
  expect(namesHours("@daily")).toBe(true);
});

test.each([
  ["HEARTBEAT_OK", true],
  ["  **HEARTBEAT_OK**.\n", true],
  ["HEARTBEAT_OK Nothing new since this morning.", true],
  ["All quiet. HEARTBEAT_OK", true],
  [`HEARTBEAT_OK ${"a".repeat(300)}`, true],
  [`HEARTBEAT_OK ${"a".repeat(301)}`, false],
  ["The log says HEARTBEAT_OK where an error should stand: look at it.", false],
  ["HEARTBEAT_OKAY", false],
  ["NOT_HEARTBEAT_OK", false],
  ["Your disk is full.", false],
  ["", false],
])("the reply %j has nothing to report: %s", (reply, nothing) => {
  expect(isNothingToReport(reply)).toBe(nothing);
});

test.each([
  [
    "the one that Elwood ships",
    readFileSync(new URL("../../../../workspace/HEARTBEAT.md", import.meta.url), "utf8"),
  ],
  ["nothing at all", ""],
  ["blank lines", "\n \t\n\r\n"],
  ["headings and comments", "# Heartbeat\n\n<!-- Write what\nto look at. -->\n"],
  ["Windows' line breaks and mark", "\uFEFF# Heartbeat\r\n\r\n## Mornings\r\n"],
  ["a comment that is not closed", "# Heartbeat\n<!-- - Look at my inbox."],
  ["points, boxes and rules without words", "# Heartbeat\n\n- \n* [ ]\n1.\n---\n> \n"],
  ["an empty block of code", "```md\n```\n"],
])("a HEARTBEAT.md asks for nothing that has %s", (_what, file) => {
  expect(heartbeatPrompt(file)).toBe("");
});

test.each([
  "- [ ] Is files/inbox empty?",
  "Look.",
  "- [x] done already, and still a line that somebody wrote",
  "# Heartbeat\n\n#inbox",
  "-5 degrees outside? Tell me.",
  "<!-- a --> Look at my inbox <!-- b -->",
])("a HEARTBEAT.md with words in it asks: %j", (file) => {
  expect(heartbeatPrompt(file)).not.toBe("");
});

test("what a HEARTBEAT.md asks comes without its comments", () => {
  expect(heartbeatPrompt("# Heartbeat\n\n- Look at my inbox.\n<!-- later -->")).toBe(
    "# Heartbeat\n\n- Look at my inbox.",
  );
});
