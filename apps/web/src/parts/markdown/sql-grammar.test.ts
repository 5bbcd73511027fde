import core from "highlight.js/lib/core";
import librarySql from "highlight.js/lib/languages/sql";
import { expect, test } from "vitest";
import { sql } from "./sql-grammar.ts";

const ours = core.newInstance();
ours.registerLanguage("sql", sql);
const library = core.newInstance();
library.registerLanguage("sql", librarySql);

/** What `markdown.css` has colours for; the rest looks like plain text. */
const COLOURED = /<span class="hljs-(comment|keyword|string|number|literal|type|built_in)">([^<]*)<\/span>/g;

test("statements are coloured as by the library's own grammar", () => {
  const statements = `-- What was spent
WITH RECURSIVE spent (due, cents) AS (SELECT date, 0 FROM days WHERE NOT done = true)
SELECT u.name, count(*) AS n, coalesce(sum(b.cents), 0.5) /* all of it */
FROM users AS u LEFT OUTER JOIN bills b ON b.user_id = u.id AND b.due BETWEEN '2026-01-01' AND current_date
WHERE u.name LIKE 'O''Brien%' AND u.age IN (1, 2) OR u.gone IS NULL
GROUP BY u.name HAVING count(*) > 2 ORDER BY n DESC OFFSET 10;
INSERT INTO users (id, name) VALUES (1, 'x');
UPDATE users SET name = upper(name) WHERE EXISTS (SELECT 1 FROM bills);
CREATE TABLE t (a integer, b varchar(20) NOT NULL DEFAULT 'c', d decimal(4, 2) UNIQUE REFERENCES users (id));
CASE WHEN a THEN 1 ELSE 2 END; DROP VIEW v; GRANT ALL ON t TO u; COMMIT; ROLLBACK;
SELECT rank() OVER (PARTITION BY due ORDER BY cents ROWS 2) FROM t UNION ALL SELECT cast(a AS bigint) FROM t`;
  const words = (highlighter: typeof core) =>
    coloured(highlighter, statements).flatMap((each) => split(each));
  expect(words(ours)).toEqual(words(library));
});

test("so is what databases have beyond the standard, and a name is none of it", () => {
  expect(coloured(ours, "CREATE INDEX IF NOT EXISTS i ON t (a); SELECT 1 LIMIT 5")).toEqual(
    ["CREATE", "INDEX", "IF", "NOT", "EXISTS", "ON", "SELECT"]
      .map((word) => `keyword ${word}`)
      .concat("number 1", "keyword LIMIT", "number 5"),
  );
  expect(coloured(ours, "id uuid, data jsonb")).toEqual(["type uuid", "type jsonb"]);
  expect(coloured(ours, 't.count, "order", `group`, t.date, count')).toEqual([]);
});

function coloured(highlighter: typeof core, text: string): string[] {
  const { value } = highlighter.highlight(text, { language: "sql", ignoreIllegals: true });
  return [...value.matchAll(COLOURED)].map(([, scope, inner]) => `${scope} ${inner}`);
}

/** The library has some pairs of words as one: `keyword NOT NULL`. */
function split(each: string): string[] {
  const [scope, ...words] = each.split(" ");
  return scope === "keyword" ? words.map((word) => `${scope} ${word}`) : [each];
}
