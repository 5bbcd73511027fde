import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own that can be filled to the last byte. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  fill(): void;
  free(): void;
}

/**
 * Mounts a tmpfs, at `path` or in a folder of its own. Answers a sentence where that is
 * not possible here: only root may mount, and only on Linux.
 */
export function mountSmallDisk(options: {
  path?: string;
  kilobytes: number;
  readOnly?: boolean;
}): SmallDisk | string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "a small disk can be mounted by root on Linux only";
  }
  const path = options.path ?? mkdtempSync(join(tmpdir(), "elwood-disk-"));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const how = `size=${options.kilobytes}k,mode=0700${options.readOnly ? ",ro" : ""}`;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", how, "tmpfs", path], { stdio: "pipe" });
  } catch (error) {
    return `mounting a tmpfs is not allowed here (${String(error).split("\n")[0]})`;
  }
  const filler = join(path, "filler");
  return {
    path,
    fill() {
      writeFileSync(filler, "");
      for (const bytes of [65_536, 4_096, 1]) fillBy(filler, bytes);
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      // Lazily: a process that was killed a moment ago may still hold a file.
      execFileSync("umount", ["-l", path]);
      if (options.path === undefined) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Skips a test that has no disk, and says why. */
export function orSkip(context: { skip: (note?: string) => never }, disk: SmallDisk | string): SmallDisk {
  if (typeof disk !== "string") return disk;
  process.stderr.write(`A test that needs a small disk is skipped: ${disk}.\n`);
  return context.skip(disk);
}

function fillBy(file: string, bytes: number): void {
  const piece = Buffer.alloc(bytes);
  for (;;) {
    try {
      appendFileSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") return;
      throw error;
    }
  }
}
