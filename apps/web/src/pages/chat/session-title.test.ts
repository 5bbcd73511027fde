import { expect, test } from "vitest";
import { previewOf } from "./session-title.ts";

test("a session whose answer was forgotten does not say that it is still to come", () => {
  expect(previewOf({ preview: "It says milk.", messageCount: 2 })).toBe("It says milk.");
  expect(previewOf({ preview: "", messageCount: 0 })).toBe("No answer yet");
  expect(previewOf({ preview: "", messageCount: 4 })).toBe("No answer to show");
});
