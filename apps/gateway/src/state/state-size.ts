import { lstat, readdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { unlessGone } from "../backup/state-files.ts";

/** How much of the state directory is what. */
export interface StateSize {
  readonly parts: readonly StatePart[];
  readonly bytes: number;
  /** Left on its disk. */
  readonly freeBytes: number;
}

export interface StatePart {
  readonly name: PartName;
  readonly bytes: number;
  readonly files: number;
}

type PartName = (typeof PARTS)[number]["name"] | "other";

/** By what stands first in a path; the first that fits. */
const PARTS = [
  { name: "database", fits: /^elwood\.db/ },
  { name: "index", fits: /^memory\.db/ },
  { name: "conversations", fits: /^sessions\// },
  { name: "attachments", fits: /^blobs\// },
  { name: "undo", fits: /^undo\// },
  { name: "notes", fits: /^memory\// },
  { name: "files", fits: /^(?:files|workspace)\// },
  { name: "backups", fits: /^(?:backups|replaced-[^/]*)\// },
  { name: "cache", fits: /^cache\// },
  { name: "parts", fits: /^parts\// },
  { name: "logs", fits: /^(?:logs\/|[^/]*\.log(?:\.\d+)?$)/ },
] as const;

/** Looks at every file once; a gateway may be at work meanwhile. Follows no link. */
export async function stateSize(home: string): Promise<StateSize> {
  const sums = new Map<PartName, { bytes: number; files: number }>();
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await unlessGone(() => readdir(join(home, folder), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile()) continue;
      const found = await unlessGone(() => lstat(join(home, path)));
      if (found === undefined) continue;
      const name = PARTS.find(({ fits }) => fits.test(path))?.name ?? "other";
      const { bytes, files } = sums.get(name) ?? { bytes: 0, files: 0 };
      sums.set(name, { bytes: bytes + found.size, files: files + 1 });
    }
  }
  const parts = [...sums].map(([name, sum]) => ({ name, ...sum })).sort((a, b) => b.bytes - a.bytes);
  const { bavail, bsize } = await statfs(home);
  return { parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), freeBytes: bavail * bsize };
}
