import { extname } from "node:path";
import { parsePlainSettings } from "./plain-settings.ts";
import type { ParsedFile } from "./yaml-file.ts";

/** A file of settings by its ending. The parsers are large, and the settings of a first start need none of them. */
export async function parseSettings(text: string, path: string): Promise<ParsedFile> {
  if (isToml(path)) {
    const { parseTomlSettings } = await import("./toml-file.ts");
    return parseTomlSettings(text, path);
  }
  const plain = parsePlainSettings(text);
  if (plain !== undefined) return { root: plain, problems: [] };
  const { parseSettingsFile } = await import("./yaml-file.ts");
  return parseSettingsFile(text, path);
}

export function isToml(path: string): boolean {
  return extname(path).toLowerCase() === ".toml";
}
