import { FailureError } from "@elwood/core/base/failure";
import { expect, test } from "vitest";
import { readStored } from "./stored-json.ts";

function failureOf(read: () => unknown): { reason: string; message: string; retryable: boolean } {
  try {
    read();
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
  throw new Error("it was read");
}

test("what was stored is read back as it was written, fields that its form does not name included", () => {
  const written = { later: [1], status: "ok", text: "done" };
  expect(JSON.stringify(readStored("outcome", JSON.stringify(written), "The call c"))).toBe(
    JSON.stringify(written),
  );
});

test.each([
  [
    "message",
    '{"id":"m","ts":1,"role":"user","origin":"owner","blocks":[{"type":"text"}]}',
    "at blocks.0.text",
  ],
  ["scopes", '["chat","everything"]', "at 1"],
  ["decider", '{"kind":"owner"}', "at id"],
  ["card", "null", "at its top"],
  ["callResult", '{"ok":false}', "at error"],
  ["outcome", '{"status":"ok', "not valid JSON"],
] as const)(
  "a %s of another form is a failure that names the file, the row and the place",
  (form, text, where) => {
    const failure = failureOf(() => readStored(form, text, "The row r_1"));
    expect(failure).toMatchObject({ reason: "STORAGE", retryable: false });
    expect(failure.message).toMatch(/^The row r_1 cannot be read from the database \(elwood\.db\): /);
    expect(failure.message).toContain(where);
    expect(failure.message).toContain("elwood doctor");
  },
);
