import { failure } from "@elwood/core/base/failure";
import { expect, test } from "vitest";
import { reportFailure } from "./failure-text.ts";
import { testIo } from "./test-io.ts";

test("a failure breaks between words on a terminal, and is one line in a pipe", () => {
  const reason = failure("CONFLICT", "An elwood command in another terminal keeps Elwood running.");
  const [terminal, pipe] = [testIo({ tty: true, columns: 30 }), testIo()];
  for (const io of [terminal, pipe]) reportFailure(io, reason, false);
  expect(terminal.err()).toBe("An elwood command in another\nterminal keeps Elwood running.\n");
  expect(pipe.err()).toBe(`${reason.message}\n`);
});
