import { err, ok, type Result } from "../base/result.ts";

/** Bytes of a file's name that every file system takes, its ending included. */
const NAME_BYTES_MAX = 120;
const KEY = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}_-])?$/u;

/**
 * The name of a note, which is also that of its file: letters and digits of any script, `-`,
 * `_` and `.` in it. Blanks become `-` and capitals small letters, so that no two names mean
 * one file on one disk and two on another. Nothing that could lead to another folder is one.
 */
export function noteKey(given: string): Result<string, string> {
  const key = given.normalize("NFC").trim().toLowerCase().replace(/\.md$/, "").replaceAll(/\s+/g, "-");
  if (!KEY.test(key) || key.includes("..")) {
    return err(
      "A note's name is made of letters, digits, - and _, such as home or ada-birthday. Nothing was saved.",
    );
  }
  if (new TextEncoder().encode(`${key}.md`).length > NAME_BYTES_MAX) {
    return err("That name is too long for a note. Use a shorter one. Nothing was saved.");
  }
  return ok(key);
}

/**
 * What a file that was made by hand is called as a note. One of any other name than a note can have
 * (`Bob's car (old).md`) is one all the same: what cannot stand in a name is left out of it.
 */
export function keyOfFile(name: string): string {
  const key = noteKey(name);
  if (key.ok) return key.value;
  const plain = name
    .normalize("NFC")
    .replace(/\.md$/i, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ");
  const made = noteKey(plain.trim().slice(0, NAME_CHARS_MAX).toWellFormed());
  return made.ok ? made.value : "note";
}

/** The name of the file below `memory/` that a turn is from, without its ending; undefined where it is from a conversation. */
export function keyOfSource(source: string): string | undefined {
  return NOTE_SOURCE.exec(source)?.[1];
}

const NOTE_SOURCE = /^memory\/[^/]+\/([^/]+)\.md$/;

/** Of three bytes at most, by their units. */
const NAME_CHARS_MAX = 36;
