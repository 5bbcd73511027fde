import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "..");
const TOKENS = "styles/tokens.css";

const sheets = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".css"),
);

/** What each sheet says for a property, as `file: value`. */
function said(property: string): string[] {
  return sheets
    .filter((name) => name !== TOKENS)
    .flatMap((name) =>
      [
        ...readFileSync(join(SOURCES, name), "utf8").matchAll(
          new RegExp(`[\\s;{]${property}:\\s*([^;]+);`, "g"),
        ),
      ].map(([, value = ""]) => `${name}: ${value}`),
    );
}

const SIZES = ["tiny", "small", "normal", "body", "large", "title", "code", "raised", "formula"];

test.each([
  // A phone zooms in on fields with smaller letters.
  ["font-size", new RegExp(`^(?:inherit|max\\(var\\(--body\\), 16px\\)|var\\(--(?:${SIZES.join("|")})\\))$`)],
  ["font-weight", /^var\(--(?:plain|strong)\)$/],
  ["font-family", /^inherit$|^var\(--(?:sans|mono)\)$/],
  ["border-radius", /^(?:(?:0|var\(--(?:radius|radius-small|radius-large|round)\))(?: |$))+$/],
  // The short form would bring signs drawn together back.
  ["font", /^inherit$/],
])("every %s is one of the tokens", (property, allowed) => {
  const values = said(property);
  expect(values.length).toBeGreaterThan(0);
  expect(values.filter((each) => !allowed.test(each.slice(each.indexOf(": ") + 2)))).toEqual([]);
});

test("there are two weights and six sizes, and each token is used", () => {
  const tokens = readFileSync(join(SOURCES, TOKENS), "utf8");
  expect([...tokens.matchAll(/^ {2}--(\w+): \d{3};$/gm)].map(([, name]) => name)).toEqual([
    "plain",
    "strong",
  ]);
  expect([...tokens.matchAll(/^ {2}--(\w+): [\d.]+rem;$/gm)].map(([, name]) => name)).toEqual(
    SIZES.slice(0, 6),
  );
  const used = [...said("font-size"), ...said("font-weight")].join("\n");
  for (const name of [...SIZES, "plain", "strong"]) expect(used).toContain(`var(--${name})`);
});
