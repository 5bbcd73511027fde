import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { isMissing } from "@elwood/platform/system-error";
import type { LogStream } from "./log.ts";

/**
 * A log file that never grows past its limit: a full one is put aside as `.1`, those before it move on by one, and
 * the oldest goes. Lines are written at once, so that the last one before a crash is there. It is opened with its
 * first line. What cannot be written throws, and the log counts it.
 */
export class RotatingFile implements LogStream {
  readonly #path: string;
  readonly #bytesMax: number;
  readonly #kept: number;
  #file: { readonly fd: number; size: number } | undefined;

  constructor(path: string, bytesMax: number = LIMITS.logFileBytesMax, kept: number = LIMITS.logFilesKept) {
    this.#path = path;
    this.#bytesMax = bytesMax;
    this.#kept = kept;
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    if (this.#file && this.#file.size > 0 && this.#file.size + bytes.length > this.#bytesMax) this.#rotate();
    this.#file ??= this.#open();
    this.#file.size += writeSync(this.#file.fd, bytes);
  }

  #open(): { readonly fd: number; size: number } {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const fd = openSync(this.#path, "a", 0o600);
    return { fd, size: fstatSync(fd).size };
  }

  #rotate(): void {
    if (this.#file) closeSync(this.#file.fd);
    this.#file = undefined;
    for (let i = this.#kept - 1; i >= 1; i--) moveIfThere(`${this.#path}.${i}`, `${this.#path}.${i + 1}`);
    if (this.#kept >= 1) moveIfThere(this.#path, `${this.#path}.1`);
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
