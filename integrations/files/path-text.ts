import { homedir } from "node:os";
import { denied, FileProblem } from "./file-problem.ts";
import type { FileLimits } from "./limits.ts";

/** A path as a list of plain names: no `.`, no `..`, no empty ones. Absolute, or below the first root. */
export interface ParsedPath {
  readonly absolute: boolean;
  readonly names: readonly string[];
}

/**
 * Reads a path once. What comes out is what is checked and what is opened; nothing later
 * looks at the text again, so that no two places can understand it differently.
 *
 * Names are in Unicode's composed form. A character that only looks like an ASCII letter,
 * digit, dot or slash is refused: some systems fold it, some do not, and the owner could not
 * see on a card which file is meant.
 */
export function parsePath(text: string, limits: FileLimits, home: string = homedir()): ParsedPath {
  if (text.length > limits.pathCharsMax) throw new FileProblem("bad-path", "The path is too long.");
  refuseUnclear(text);
  const path = text.normalize("NFC");
  if (path.startsWith("~")) {
    if (path !== "~" && !path.startsWith("~/")) {
      throw denied(
        "hard.outside-scope",
        "The home folder of another user is outside of what Elwood may use.",
      );
    }
    return { absolute: true, names: resolveNames(`${home}${path.slice(1)}`, true, limits) };
  }
  const absolute = path.startsWith("/");
  return { absolute, names: resolveNames(path, absolute, limits) };
}

/** For comparing a name with a protected one: no case, no look-alikes, nothing invisible. */
export function fold(name: string): string {
  if (/^[\u0020-\u007e]*$/.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase();
}

/** A path in the folded form, for comparing; not for opening. */
export function foldNames(names: readonly string[]): string[] {
  return names.map(fold);
}

export function startsWithNames(names: readonly string[], start: readonly string[]): boolean {
  return start.length <= names.length && start.every((name, i) => name === names[i]);
}

/** Names that Windows takes for devices, in any folder and with any ending. */
const DEVICE_NAME = /^(?:con|prn|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(?:\.|:|$)/;
/** Turns the direction of text, or is not seen at all. Joiners and variation selectors are part of real names. */
const UNSEEN =
  /(?!\p{Join_Control}|\p{Variation_Selector})[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/u;
const STANDS_FOR_ASCII = /[A-Za-z0-9./\\~:_-]/;

function refuseUnclear(text: string): void {
  const bad = (message: string) => denied("hard.outside-scope", message);
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) {
    throw bad("The path holds a control character, which no path needs.");
  }
  if (!text.isWellFormed()) throw bad("The path holds half a character.");
  if (UNSEEN.test(text)) throw bad("The path holds a character that cannot be seen.");
  if (text.includes("\\")) throw bad("The path holds a backslash. Write paths with forward slashes.");
  if (/^[A-Za-z]:/.test(text)) throw bad("A path with a drive letter is outside of what Elwood may use.");
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) throw bad("This is an address, not a path.");
  if (/%(?:00|2e|2f|5c|25)/i.test(text)) throw bad("The path is percent-encoded. Write it as it is.");
  if (/::\$|:\$data/i.test(text)) throw bad("The path names a hidden stream of a file.");
  for (const character of text) {
    if (character <= "\u007f") continue;
    const plain = character.normalize("NFKC");
    if (plain !== character && plain !== character.normalize("NFC") && STANDS_FOR_ASCII.test(plain)) {
      throw bad(`The path is ambiguous: it holds "${character}", which looks like "${plain}".`);
    }
  }
}

function resolveNames(path: string, absolute: boolean, limits: FileLimits): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (names.length === 0 && !absolute) {
        throw denied("hard.outside-scope", "The path leads out of the folders that Elwood may use.");
      }
      names.pop();
      continue;
    }
    if (Buffer.byteLength(name) > limits.nameBytesMax) {
      throw new FileProblem("bad-path", "One name in the path is longer than file systems take.");
    }
    if (DEVICE_NAME.test(fold(name))) {
      throw denied("hard.special-file", `"${name}" is the name of a device on some systems.`);
    }
    names.push(name);
  }
  if (names.length > limits.pathDepthMax) throw new FileProblem("bad-path", "The path is too deep.");
  return names;
}
