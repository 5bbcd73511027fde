import { expect, test } from "vitest";
import { DIALECT_ROWS, type DialectRow } from "./dialects.ts";
import { leavesOf } from "./origins.ts";
import { configSchema, hasEffect } from "./schema.ts";
import { schemaAt } from "./schema-walk.ts";
import { testFolder } from "../../test/config/test-folder.ts";

const named = (rows: readonly DialectRow[]) =>
  rows.map((row) => [`${row.dialect} ${row.written}`, row] as const);
const fileRows = DIALECT_ROWS.filter((row) => row.dialect !== "environment" && row.dialect !== "flag");
const outsideRows = DIALECT_ROWS.filter((row) => !fileRows.includes(row));

/** A file that holds just this key, its `*` replaced by names; the cron job around a key is completed. */
function fileWith(row: DialectRow): string {
  const steps = row.written.split(".");
  if (steps[0] === "cron" && steps.length > 1) {
    return JSON.stringify({ cron: [{ name: "a", message: "b", [steps[2]!]: row.example }] });
  }
  let value: unknown = row.example;
  for (const step of steps.toReversed()) value = { [step === "*" ? "mine" : step]: value };
  return JSON.stringify(value);
}

test.each(named(fileRows))(
  "EL-16 JV-10 AC-2: %s loads, lands under our key, and says whether it does anything",
  async (_name, row) => {
    const f = testFolder();
    f.write("home/config.json", fileWith(row));
    const { config, origins, notices } = await f.load();
    const key = row.key.startsWith("cron.") ? "cron" : row.key.replaceAll("*", "mine");
    const set = leavesOf(config).map((leaf) => leaf.path.join("."));
    const mine = set.filter((path) => path === key || path.startsWith(`${key}.`));
    expect(mine).not.toEqual([]);
    for (const path of mine) expect(origins.get(path)).toBe("config.json:1");
    const silent = notices.filter((n) => n.kind === "no-effect").length === 0;
    expect(silent).toBe(row.effect);
  },
);

test.each(named(outsideRows.filter((row) => row.into === "setting")))(
  "EL-16 JV-10: %s sets our key from outside the file",
  async (_name, row) => {
    const given = String(row.example);
    const { origins } = await testFolder().load(
      row.dialect === "flag"
        ? { flags: { [row.written.slice(2)]: given } }
        : { env: { [row.written]: given } },
    );
    expect(origins.get(row.key)).toBe(`${row.dialect} ${row.written}`);
  },
);

test.each(named(outsideRows.filter((row) => row.into === "secret")))(
  "EL-16 JV-10: %s is a secret under our name, and never a setting",
  async (_name, row) => {
    const value = String(row.example);
    const { secrets, config, notices } = await testFolder().load({ env: { [row.written]: value } });
    expect(secrets.get(row.key)).toEqual({ name: row.key, value, source: `environment ${row.written}` });
    expect(JSON.stringify(config)).not.toContain(value);
    expect(notices.map((n) => n.kind)).toEqual(row.effect ? [] : ["no-effect"]);
  },
);

test("every row's key is one that the schema knows, and agrees with it on having an effect", () => {
  for (const row of DIALECT_ROWS.filter((r) => r.into === "setting")) {
    const path = row.key.split(".");
    expect(schemaAt(configSchema(), path), row.written).toBeDefined();
    expect(hasEffect(path), row.written).toBe(row.effect);
  }
});

test("every group that has no effect yet says why", () => {
  for (const row of fileRows.filter((r) => !r.effect && !r.written.includes("."))) {
    expect(row.note, row.written).not.toBe("");
  }
});

test("no name stands in the table twice", () => {
  const names = DIALECT_ROWS.map((row) => `${row.dialect} ${row.written}`);
  expect(new Set(names).size).toBe(names.length);
});
