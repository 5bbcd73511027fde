import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./tidy.ts";

const NOT_OURS = new Set(["node_modules", ".git", "dist", "coverage", "test-results"]);

/** Every text file of the project, with its path from the root. */
export function projectFiles(root: string, folder = ""): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (NOT_OURS.has(entry.name)) return [];
    if (entry.isDirectory()) return projectFiles(root, path);
    if (!entry.isFile()) return [];
    const bytes = readFileSync(join(root, path));
    return bytes.includes(0) ? [] : [{ path, text: bytes.toString("utf8") }];
  });
}
