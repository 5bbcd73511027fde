import { pathKey, type Setting } from "./file-layer.ts";
import type { Place } from "./problem.ts";

/** A value and its dotted key; lists and empty groups count as one value. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

export function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [{ path, value }];
  const entries = Object.entries(value);
  if (entries.length === 0 && path.length > 0) return [{ path, value }];
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

const SYSTEM: Place = { kind: "default", note: "the system's" };

/** Where each leaf came from. A setting speaks for itself and for what lies below it; the last one set wins. */
export function originsOf(config: object, settings: readonly Setting[]): Map<string, Place> {
  const places = new Map(settings.map((setting) => [pathKey(setting.path), setting.place]));
  const origins = new Map<string, Place>();
  for (const { path } of leavesOf(config)) {
    let place: Place = path[0] === "timeZone" ? SYSTEM : { kind: "default" };
    for (let length = path.length; length > 0; length--) {
      const set = places.get(pathKey(path.slice(0, length)));
      if (set !== undefined) {
        place = set;
        break;
      }
    }
    origins.set(path.join("."), place);
  }
  return origins;
}
