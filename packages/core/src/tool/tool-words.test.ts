import { expect, test } from "vitest";
import { deedOf, headingOf } from "./tool-words.ts";

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

test("a tool of the owner's is headed by the first sentence of its description, or by its id as words", () => {
  const id = "text.words.count";
  expect(headingOf({ id, description: "Counts the words of a text. Give it the text." })).toBe(
    "Counts the words of a text",
  );
  expect(headingOf({ id, description: "Reads v1.2 files\nand more" })).toBe("Reads v1.2 files");
  for (const description of ["", "x".repeat(200)])
    expect(headingOf({ id, description })).toBe("Count text words");
});
