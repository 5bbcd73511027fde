/**
 * node scripts/write-edges.ts: writes the exports of each package as they are imported from outside,
 * and the edges between folders. Read the difference before you commit it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectFiles } from "./project-files.ts";
import { folderEdges } from "./tidy.ts";

const root = join(import.meta.dirname, "..");
const files = projectFiles(root).filter(({ path }) => /^[^.].*\.(ts|mjs)$/.test(path));

const folders = ["apps/gateway/", ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/`)];
for (const folder of folders) {
  const name = folder.split("/").at(-2) ?? "";
  const named = new RegExp(`"@elwood/${name}(?:/([a-z0-9/-]+))?"`, "g");
  const used = files
    .filter(({ path }) => !path.startsWith(folder))
    .flatMap(({ text }) => [...text.matchAll(named)].map((found) => found[1] ?? "index"))
    .filter((entry) => existsSync(join(root, folder, placeOf(entry))));
  const manifest = join(root, folder, "package.json");
  const exports = Object.fromEntries(
    [...new Set(used)].toSorted().map((entry) => [
      // The package itself is its index.
      entry === "index" ? "." : `./${entry}`,
      `./${placeOf(entry)}`,
    ]),
  );
  const whole = { ...(JSON.parse(readFileSync(manifest, "utf8")) as object), exports };
  writeFileSync(manifest, `${JSON.stringify(whole, null, 2)}\n`);
}

const edges = Object.fromEntries(
  [...folderEdges(files)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, to]) => [from, [...to].toSorted()]),
);
const table = join(root, "scripts/folder-edges.ts");
const written = readFileSync(table, "utf8").replace(
  /(FOLDER_EDGES: FolderEdges = )\{[^]*?\n\};/,
  (_, head: string) => `${head}${JSON.stringify(edges, null, 2)};`,
);
writeFileSync(table, written);

/** Tests of the command line use helpers of the gateway's own tests. */
function placeOf(entry: string): string {
  return entry.startsWith("test/") ? `${entry}.ts` : `src/${entry}.ts`;
}
