import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchReport } from "./main.ts";
import { quantile } from "./processes.ts";

const MEASURE = fileURLToPath(new URL("../integrations/files/measure-look.ts", import.meta.url));
const FOLDERS = 1_000;
const FILES_EACH = 100;
const ROUNDS = 3;
const REACH = 3;

/** Searching and listing 100,000 files with the tools, against ripgrep on the same folder in the same run. */
export async function bench(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "elwood-bench-files-"));
  try {
    fill(folder);
    const run = promisify(execFile);
    const rg = async (...args: string[]) => {
      const begun = performance.now();
      // 1 is how ripgrep says that nothing was found.
      await run("rg", [...args, folder], { maxBuffer: 64 * 1024 * 1024 }).catch(
        (error: { code?: unknown }) => {
          if (error.code !== 1) throw error;
        },
      );
      return performance.now() - begun;
    };
    const theirs = { search: [] as number[], list: [] as number[] };
    const first: number[] = [];
    const ours = { search: [] as number[], list: [] as number[] };
    for (let i = 0; i < ROUNDS; i++) {
      theirs.search.push(await rg("-i", "-F", "a needle in it"));
      theirs.list.push(await rg("--files", "-g", "*-77.md"));
      // The first of two is the start of its threads; a gateway keeps them for a while.
      const { stdout } = await run(process.execPath, [MEASURE, folder, "2"]);
      const taken = JSON.parse(stdout) as typeof ours;
      first.push(taken.list[0]!);
      ours.search.push(taken.search.at(-1)!);
      ours.list.push(taken.list.at(-1)!);
    }
    const row = (what: string, kind: "search" | "list") => {
      const [mine, base] = [quantile(ours[kind], 0.5), quantile(theirs[kind], 0.5)];
      return {
        what: `${what} ${FOLDERS * FILES_EACH} files`,
        value: `${mine.toFixed(0)} ms`,
        baseline: `${base.toFixed(0)} ms (rg)`,
        reach: `${(mine / base).toFixed(2)}x of ${REACH}x`,
        ok: mine <= REACH * base,
      };
    };
    return {
      name: "files",
      rows: [row("search", "search"), row("list by a pattern", "list")],
      ours,
      theirs,
      first,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(folder: string): void {
  const words = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor\n";
  for (let i = 0; i < FOLDERS; i++) {
    const at = join(folder, `part-${i % 20}`, `folder-${i}`);
    mkdirSync(at, { recursive: true });
    for (let j = 0; j < FILES_EACH; j++)
      writeFileSync(
        join(at, `note-${i}-${j}.md`),
        words.repeat(12) + (i === 500 && j === 5 ? "a needle in it\n" : ""),
      );
  }
}
