import { DIALECT_ROWS, fileRow, ownPath } from "./dialects.ts";
import { dotted, problemAt, type ConfigProblem, type Place } from "./problem.ts";
import { isGroup, keysOf, leafPaths, schemaAt, type Schema } from "./schema-walk.ts";
import { closest } from "@elwood/core/base/suggest";
import type { FileEntry, FileNode } from "./yaml-file.ts";

/** One value that somebody set: our path, the value, and where. */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly place: Place;
}

export interface FileLayer {
  readonly settings: readonly Setting[];
  /** Places of everything below settings too (items of a list), by `pathKey`. */
  readonly places: ReadonlyMap<string, Place>;
  readonly problems: readonly ConfigProblem[];
}

export function pathKey(path: readonly string[]): string {
  return path.join("\0");
}

/**
 * Turns a file's keys into ours. A key nobody knows is a problem with the nearest known
 * one beside it; two dialects' names for one setting are a problem too, since either
 * could be the one that was meant.
 */
export function readFileLayer(
  root: FileNode & { readonly kind: "group" },
  file: string,
  schema: Schema,
  dialects: "known" | "none" = "known",
): FileLayer {
  const reader = new LayerReader(file, schema, dialects);
  reader.readGroup(root.entries, [], []);
  const { settings, places, problems } = reader;
  return { settings, places, problems };
}

/** Walks through one file. Each method takes a path twice: as it is written there, and as ours. */
class LayerReader {
  readonly settings: Setting[] = [];
  readonly places = new Map<string, Place>();
  readonly problems: ConfigProblem[] = [];
  readonly #file: string;
  readonly #schema: Schema;
  readonly #dialects: "known" | "none";

  constructor(file: string, schema: Schema, dialects: "known" | "none") {
    this.#file = file;
    this.#schema = schema;
    this.#dialects = dialects;
  }

  readGroup(entries: readonly FileEntry[], written: readonly string[], own: readonly string[]): void {
    for (const entry of entries) {
      const { path, place, ownKey } = this.#locate(entry, written, own);
      const known = UNSAFE_KEYS.has(entry.key) ? undefined : schemaAt(this.#schema, ownKey);
      if (known === undefined) {
        this.#unknownKey(place, path, own);
        continue;
      }
      const earlier = this.places.get(pathKey(ownKey));
      if (earlier?.kind === "file") {
        const twice = `and \`${earlier.written}\` on line ${earlier.line} set the same thing. Keep one of the two.`;
        this.problems.push(problemAt(place, dotted(ownKey), twice));
        continue;
      }
      this.#readSetting(entry.node, path, ownKey, place, isGroup(known));
    }
  }

  #readSetting(
    node: FileNode,
    written: readonly string[],
    own: readonly string[],
    place: Place,
    deeper: boolean,
  ): void {
    // A key with nothing behind it is a group whose settings are all commented out.
    if (node.kind === "value" && node.value === null) return;
    this.places.set(pathKey(own), place);
    if (node.kind === "group" && deeper) {
      if (node.entries.length > 0) this.readGroup(node.entries, written, own);
      else this.settings.push({ path: own, value: {}, place });
      return;
    }
    this.settings.push({ path: own, value: this.#valueOf(node, written, own), place });
  }

  /** Inside values, such as the items of a list, keys are checked and renamed as well, and their places kept. */
  #valueOf(node: FileNode, written: readonly string[], own: readonly string[]): unknown {
    if (node.kind === "value") return node.value;
    if (node.kind === "list") {
      return node.items.map((item, i) => {
        const path = [...written, String(i)];
        const ownItem = [...own, String(i)];
        this.places.set(pathKey(ownItem), this.#placeOf(item.at, path));
        return this.#valueOf(item, path, ownItem);
      });
    }
    const out: Record<string, unknown> = {};
    for (const entry of node.entries) {
      const { path, place, ownKey } = this.#locate(entry, written, own);
      const parent = schemaAt(this.#schema, own);
      const wrongKind = parent !== undefined && parent !== "any" && !isGroup(parent);
      if (UNSAFE_KEYS.has(entry.key) || (!wrongKind && schemaAt(this.#schema, ownKey) === undefined)) {
        this.#unknownKey(place, path, own);
        continue;
      }
      this.places.set(pathKey(ownKey), place);
      out[ownKey.at(-1)!] = this.#valueOf(entry.node, path, ownKey);
    }
    return out;
  }

  #locate(entry: FileEntry, written: readonly string[], own: readonly string[]) {
    const path = [...written, entry.key];
    const row = this.#dialects === "known" ? fileRow(path) : undefined;
    const ownKey = row ? ownPath(row, path) : [...own, entry.key];
    return { path, place: this.#placeOf(entry.at, path), ownKey };
  }

  #placeOf(at: FileEntry["at"], path: readonly string[]): Place {
    return { kind: "file", file: this.#file, ...at, written: dotted(path), path };
  }

  #unknownKey(place: Place, path: readonly string[], own: readonly string[]): void {
    const nearest = nearestKey(path, own, this.#schema, this.#dialects);
    this.problems.push(unknownKey(place, path, nearest));
  }
}

const UNSAFE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

function unknownKey(place: Place, path: readonly string[], wanted: string | undefined): ConfigProblem {
  const saying =
    wanted === undefined
      ? "is not a setting that Elwood knows. Remove it."
      : `is not a setting that Elwood knows. Did you mean \`${wanted}\`?`;
  return problemAt(place, dotted(path), saying);
}

/** Among the neighbours first, then a setting of that name anywhere (`port` → `gateway.port`). */
function nearestKey(
  path: readonly string[],
  ownGroup: readonly string[],
  schema: Schema,
  dialects: "known" | "none",
): string | undefined {
  const key = path.at(-1)!;
  const prefix = path.slice(0, -1);
  const group = schemaAt(schema, ownGroup);
  const foreign = DIALECT_ROWS.filter(
    (row) => dialects === "known" && row.dialect !== "environment" && row.dialect !== "flag",
  )
    .map((row) => row.written.split("."))
    .filter((steps) => steps.length === path.length && steps.slice(0, -1).every((s, i) => s === prefix[i]))
    .map((steps) => steps.at(-1)!);
  const near = closest(key, new Set([...(group ? keysOf(group) : []), ...foreign]));
  if (near !== undefined) return dotted([...prefix, near]);
  const leaves = leafPaths(schema);
  const last = closest(
    key,
    leaves.map((leaf) => leaf.at(-1)!),
  );
  return leaves.find((leaf) => leaf.at(-1) === last)?.join(".");
}
