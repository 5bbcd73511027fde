import { expect, test } from "vitest";
import { deedOf } from "./tool-words.ts";

test("what a call does is told in people's words, also of a tool that nobody has words for", () => {
  expect(deedOf("files.file.delete")).toEqual({
    todo: "Delete a file",
    doing: "Deleting a file",
    done: "Deleted a file",
  });
  expect(deedOf("email.message.send").doing).toBe("Send email message");
  expect(deedOf("home.set_light")).toMatchObject({ done: "Set light home" });
  expect(deedOf("constructor").todo).toBe("Constructor");
});
