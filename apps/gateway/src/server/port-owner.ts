import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** Which process listens on a port, where the system tells (Linux, and only for one's own processes unless root). */
export function portOwner(port: number): { pid: number; name: string } | undefined {
  const inodes = new Set(
    ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningInodes(table, port)),
  );
  if (inodes.size === 0) return undefined;
  for (const pid of listing("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const fd of listing(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode && inodes.has(inode)) return { pid: Number(pid), name: programName(pid) };
    }
  }
  return undefined;
}

/** As it was started: the name that the system keeps is that of a thread, and Node calls its own "MainThread". */
function programName(pid: string): string {
  const started = text(`/proc/${pid}/cmdline`).split("\0")[0] ?? "";
  return basename(started) || text(`/proc/${pid}/comm`).trim();
}

function listeningInodes(table: string, port: number): string[] {
  const LISTEN = "0A";
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  return text(table)
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${hexPort}`) && fields[3] === LISTEN)
    .flatMap((fields) => fields[9] ?? []);
}

// Processes come and go while /proc is read, and others' are closed to us: what cannot be read is not there.
function listing(path: string): string[] {
  return orElse(() => readdirSync(path), []);
}
function link(path: string): string {
  return orElse(() => readlinkSync(path), "");
}
function text(path: string): string {
  return orElse(() => readFileSync(path, "utf8"), "");
}
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
