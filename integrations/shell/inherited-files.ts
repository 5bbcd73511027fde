import { readdirSync, readFileSync } from "node:fs";

const CLOSED_ON_START = 0o2_000_000;
const DESCRIPTORS_MAX = 1_024;

/**
 * Files that whoever started the gateway left open to all its children, by number. Node
 * hands them on; a command must not get them. Node's own files are not among them.
 */
export function inheritedFiles(): readonly number[] {
  try {
    return readdirSync("/proc/self/fdinfo")
      .map(Number)
      .filter((fd) => fd > 2 && fd < DESCRIPTORS_MAX && isHandedOn(fd));
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

function isHandedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_START) === 0;
  } catch (error) {
    // The one by which the folder itself was read.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
