import { expect, test } from "vitest";
import { linesAbout, withoutLines } from "./note-lines.ts";

const NOTE = `# Garden

- Beds: four
- Rhubarb in the second,
  behind the roses
- Spinach in the third

## Rhubarb

Split it in autumn.

### Pests

- none so far

## Tools

- Spade
`;

const matches = (text: string) => text.toLowerCase().includes("rhubarb");

test("a bullet goes whole, and so does all that stands under a heading with the word", () => {
  const about = linesAbout(NOTE, matches);
  expect(withoutLines(NOTE, new Set(about))?.replace(/\n+/g, "\n")).toBe(
    "# Garden\n- Beds: four\n- Spinach in the third\n## Tools\n- Spade\n",
  );
});

test("a note that does not hold the word stays as it is, and one of nothing else goes whole", () => {
  expect(linesAbout("# Garden\n- Spade\n", matches)).toEqual([]);
  expect(withoutLines("- rhubarb\n\n", new Set(linesAbout("- rhubarb\n\n", matches)))).toBeUndefined();
});
