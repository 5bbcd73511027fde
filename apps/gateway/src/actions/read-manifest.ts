import { basename } from "node:path";
import type { ActionSpec, ConnectionSpec, Manifest } from "@elwood/core/action/action-spec";
import { manifestProblems, type ManifestSurroundings } from "@elwood/core/action/manifest-problems";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { z } from "zod";
import { actionGroups } from "../config/action-groups.ts";
import { explain } from "../config/explain.ts";
import { pathKey, readFileLayer } from "../config/file-layer.ts";
import { dotted, problemAt, type Place } from "../config/problem.ts";
import { LazyGroup } from "../config/schema-walk.ts";
import { parseSettingsFile } from "../config/yaml-file.ts";

/** Something wrong with a file, in a sentence that begins with its name and line. */
export type ManifestSentence = string;

/**
 * Reads a file of connections and actions, in YAML or JSON. Either all of it is right, or all that is wrong is
 * told at once, each with its line. `${NAME}` is left as it stands: a secret never comes in with a file.
 */
export function readManifest(
  text: string,
  file: string,
  around: ManifestSurroundings,
): Result<Manifest, readonly ManifestSentence[]> {
  if (Buffer.byteLength(text) > LIMITS.configFileBytesMax)
    return err([`${basename(file)} is larger than ${LIMITS.configFileBytesMax / 1024} KB.`]);
  const schema = new LazyGroup({
    ...actionGroups,
    version: () => z.union([z.literal("1.0"), z.literal(1)], { error: 'must be "1.0"' }).optional(),
  });
  const parsed = parseSettingsFile(text, file);
  const layer = readFileLayer(parsed.root, file, schema, "none");
  const problems = [...parsed.problems, ...layer.problems];
  const raw: Record<string, unknown> = {};
  for (const { path, value } of layer.settings) put(raw, path, value);
  const values: Record<string, unknown> = {};
  const refused: Parameters<typeof explain>[0]["refused"][number][] = [];
  for (const [key, value] of Object.entries(raw)) {
    const checked = schema.at(key)?.safeParse(value);
    if (checked?.success) values[key] = checked.data;
    for (const issue of checked?.error?.issues ?? [])
      refused.push({ issue: { ...issue, path: [key, ...issue.path] }, raw, settings: layer.settings });
  }
  problems.push(...explain({ config: undefined, refused, homeless: [] }, schema, layer.places));
  if (problems.length > 0) return err(problems.map(({ text: sentence }) => sentence));
  const manifest: Manifest = {
    connections: (values["connections"] ?? {}) as Readonly<Record<string, ConnectionSpec>>,
    actions: (values["actions"] ?? {}) as Readonly<Record<string, ActionSpec>>,
  };
  if (Object.keys(manifest.connections).length + Object.keys(manifest.actions).length === 0)
    return err([`${basename(file)} has neither \`connections\` nor \`actions\`.`]);
  const wrong = manifestProblems(manifest, around);
  if (wrong.length === 0) return ok(manifest);
  return err(wrong.map(({ path, says }) => problemAt(placeOf(path, layer.places), dotted(path), says).text));
}

function placeOf(path: readonly string[], places: ReadonlyMap<string, Place>): Place {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(pathKey(path.slice(0, length)));
    // The sentence names the whole path, wherever its nearest line is.
    if (place?.kind === "file") return { ...place, written: dotted(path) };
  }
  return { kind: "default" };
}

function put(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = root;
  for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
  at[path.at(-1) ?? ""] = value;
}
