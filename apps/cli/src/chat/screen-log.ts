import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { Paint } from "../paint.ts";
import { visibleText } from "../terminal-text.ts";
import type { Screen } from "./screen.ts";

/** A line that does not end is shown after so many characters. */
const LINE_CHARS_MAX = 10_000;

/**
 * Where a gateway in this process writes its log while the screen is drawn: lines above the box,
 * which standard error would be written over. Afterwards it is standard error again.
 */
export function screenLog(screen: Screen, paint: Paint, otherwise: Writable): Writable {
  let begun = "";
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      done();
      if (!screen.isShown) {
        otherwise.write(chunk);
        return;
      }
      const lines = `${begun}${String(chunk)}`.split("\n");
      begun = lines.pop() ?? "";
      if (begun.length > LINE_CHARS_MAX) {
        lines.push(begun);
        begun = "";
      }
      screen.printAbove(lines.map((line) => paint("dim", visibleText(stripVTControlCharacters(line)))));
    },
  });
}
