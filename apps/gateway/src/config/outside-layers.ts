import { z } from "zod";
import { DIALECT_ROWS } from "./dialects.ts";
import type { Setting } from "./file-layer.ts";
import type { Notice } from "./problem.ts";
import { leafAt, unwrapped, type Schema } from "./schema-walk.ts";
import { closest } from "@elwood/core/base/suggest";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Flags by their long name without dashes: `{port: "18790", "log-level": "debug"}`. Undefined means not given. */
export type Flags = Readonly<Record<string, string | number | undefined>>;

export function flagSettings(flags: Flags, schema: Schema): Setting[] {
  return DIALECT_ROWS.filter((row) => row.dialect === "flag" && row.into === "setting").flatMap((row) => {
    const given = flags[row.written.slice(2)];
    if (given === undefined) return [];
    const path = row.key.split(".");
    const value = typeof given === "string" ? fromText(given, path, schema) : given;
    return [{ path, value, place: { kind: "flag", name: row.written } }];
  });
}

/** An empty variable counts as not set: that is how compose files and units leave one out. */
export function environmentSettings(
  env: Environment,
  schema: Schema,
): { settings: Setting[]; notices: Notice[] } {
  const settings = new Map<string, Setting>();
  const notices: Notice[] = [];
  for (const row of DIALECT_ROWS) {
    const text = env[row.written];
    if (row.dialect !== "environment" || row.into !== "setting" || text === undefined || text === "")
      continue;
    const first = settings.get(row.key);
    const path = row.key.split(".");
    const value = fromText(text, path, schema);
    if (first === undefined) {
      settings.set(row.key, { path, value, place: { kind: "environment", name: row.written } });
    } else if (first.value !== value && first.place.kind === "environment") {
      notices.push({
        kind: "warning",
        key: row.written,
        text: `${first.place.name} and ${row.written} are both set and differ. ${first.place.name} is used.`,
      });
    }
  }
  return { settings: [...settings.values()], notices: [...notices, ...misspelled(env)] };
}

/** Text that cannot be turned into what is meant stays text, and is refused with the others. */
function fromText(text: string, path: readonly string[], schema: Schema): unknown {
  const at = leafAt(schema, path);
  const leaf = at === undefined ? undefined : unwrapped(at);
  if (leaf instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (leaf instanceof z.ZodBoolean) return SWITCHES[text.trim().toLowerCase()] ?? text;
  if (leaf instanceof z.ZodArray) {
    return text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }
  return text;
}

const SWITCHES: Readonly<Record<string, boolean>> = { true: true, on: true, false: false, off: false };

/** A variable that is ours by its first word, unknown, and very near a known one. */
function misspelled(env: Environment): Notice[] {
  const known = DIALECT_ROWS.filter((row) => row.dialect === "environment").map((row) => row.written);
  const files = known.map((name) => `${name}_FILE`);
  return Object.keys(env)
    .filter((name) => name.startsWith("ELWOOD_") && !known.includes(name) && !files.includes(name))
    .flatMap((name) => {
      const own = known.filter((k) => k.startsWith("ELWOOD_")).map((k) => k.slice("ELWOOD_".length));
      const near = closest(name.slice("ELWOOD_".length), own);
      if (near === undefined) return [];
      const text = `${name} is set, but Elwood reads no such variable. Did you mean ELWOOD_${near}?`;
      return [{ kind: "warning", key: name, text }];
    });
}
