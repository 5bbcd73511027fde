import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { withDeadline } from "@elwood/runtime/async/deadline";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { ReadingProblem } from "@elwood/sdk/documents/document-reader";
import { DOCUMENT_KINDS, type DocumentRead } from "@elwood/sdk/documents/read-document";
import { UNREADABLE } from "@elwood/sdk/documents/unreadable";
import { z } from "zod";
import { encodeFrame, FrameReader, type Frame } from "../quickjs/frames.ts";
import type { DocumentLimits } from "./limits.ts";
import { SOCKET_FD, type ToReader } from "./wire.ts";

const CHILD = fileURLToPath(new URL("./reader-child.ts", import.meta.url));

export type ReaderAnswer =
  | { readonly ok: true; readonly read: DocumentRead }
  | { readonly ok: false; readonly why: ReadingProblem; readonly detail: string };

export interface ReaderSettings {
  readonly clock: Clock;
  readonly limits: DocumentLimits;
  /** What a process takes in memory, if the system is not to be asked: for tests. */
  readonly memoryMb?: (pid: number) => number | undefined;
}

/** One process that reads documents, one at a time. A process that failed at one reads no other. */
export class ReaderProcess {
  readonly #settings: ReaderSettings;
  readonly #child: ChildProcess;
  readonly #socket: Duplex;
  readonly #gone = new AbortController();
  readonly #ready: Promise<void>;
  #setReady!: () => void;
  #heard: ((answer: ReaderAnswer) => void) | undefined;
  #next = 0;
  #why = "";

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
    this.#ready = new Promise((resolve) => (this.#setReady = resolve));
    this.#child = spawn(process.execPath, flags(settings.limits), {
      env: {},
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    // Descriptor 3 was asked for as a pipe, which Node makes a socket that works both ways.
    this.#socket = this.#child.stdio[SOCKET_FD] as Duplex;
    this.#listen();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get alive(): boolean {
    return !this.#gone.signal.aborted;
  }

  /** Rejects with the signal's reason where it was stopped. */
  async read(bytes: Uint8Array, name: string, signal: AbortSignal): Promise<ReaderAnswer> {
    const { clock, limits } = this.#settings;
    const lost = this.#lost();
    const started = await withDeadline(clock, limits.startMs, Promise.race([this.#ready, lost]), () =>
      problem("lost", "it did not start"),
    );
    if (started !== undefined) return this.#giveUp(started);
    const answer = await this.#answer(bytes, name, signal, lost);
    return answer.ok || isOfDocument(answer.why) ? answer : this.#giveUp(answer);
  }

  kill(why: string): void {
    this.#child.kill("SIGKILL");
    this.#end(why);
  }

  /** Whether waiting for it keeps the gateway's process alive. */
  hold(held: boolean): void {
    if (held) this.#child.ref();
    else this.#child.unref();
    const socket = this.#socket as Duplex & { ref?(): void; unref?(): void };
    if (held) socket.ref?.();
    else socket.unref?.();
  }

  async #answer(
    bytes: Uint8Array,
    name: string,
    signal: AbortSignal,
    lost: Promise<ReaderAnswer>,
  ): Promise<ReaderAnswer> {
    const { clock, limits } = this.#settings;
    const { textCharsMax, pdfPagesMax, unpackedBytesMax } = limits;
    const over = new AbortController();
    const heard = new Promise<ReaderAnswer>((resolve) => (this.#heard = resolve));
    const stopped = new Promise<never>((_, reject) => {
      const stop = () => {
        this.kill("it was stopped");
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true, signal: over.signal });
      if (signal.aborted) stop();
    });
    const n = this.#next++;
    const head: ToReader = { t: "read", n, name, textCharsMax, pdfPagesMax, unpackedBytesMax };
    if (this.alive) {
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
      this.#socket.write(encodeFrame(head, body));
    }
    const fat = this.#watchMemory(over.signal);
    try {
      return await withDeadline(clock, limits.readMs, Promise.race([heard, stopped, fat, lost]), () =>
        problem("time", ""),
      );
    } finally {
      over.abort();
      this.#heard = undefined;
    }
  }

  /** What is not on the heap counts too: unpacked bytes are not. */
  async #watchMemory(over: AbortSignal): Promise<ReaderAnswer> {
    const { clock, limits, memoryMb = residentMb } = this.#settings;
    while (!over.aborted && this.alive) {
      await clock.sleep(limits.lookMs, over);
      const taken = this.pid === undefined ? undefined : memoryMb(this.pid);
      if (!over.aborted && taken !== undefined && taken > limits.memoryMb) return problem("memory", "");
    }
    return new Promise<never>(() => {});
  }

  #giveUp(answer: ReaderAnswer & { ok: false }): ReaderAnswer {
    this.kill("it could not read a document");
    return answer;
  }

  #lost(): Promise<ReaderAnswer & { ok: false }> {
    return new Promise((resolve) => {
      const tell = () => {
        // V8 gives up with SIGABRT or SIGTRAP where its heap is full.
        const full = /SIGABRT|SIGTRAP|code 134|code 133/.test(this.#why);
        resolve(problem(full ? "memory" : "lost", this.#why));
      };
      this.#gone.signal.addEventListener("abort", tell, { once: true });
      if (this.#gone.signal.aborted) tell();
    });
  }

  #listen(): void {
    const { limits } = this.#settings;
    // JSON may write a character in six.
    const reader = new FrameReader(() => limits.textCharsMax * 6 + FRAME_HEAD_BYTES);
    this.#socket.on("data", (chunk: Buffer) => {
      try {
        for (const frame of reader.push(chunk)) {
          if (!this.alive) return;
          if (!this.#hear(frame)) this.kill("it said something that only a broken process would say");
        }
      } catch {
        this.kill("it sent something that could not be read");
      }
    });
    this.#socket.on("error", () => this.#child.kill("SIGKILL"));
    this.#child.on("error", () => this.kill("it could not be started"));
    this.#child.on("exit", (code, signal) => this.#end(signal ?? `code ${code}`));
  }

  #hear({ head, body }: Frame): boolean {
    const said = SAID.safeParse(head);
    if (!said.success) return false;
    if (said.data.t === "ready") {
      this.#setReady();
      return true;
    }
    if (said.data.n !== this.#next - 1 || this.#heard === undefined) return false;
    if (said.data.t === "unreadable") {
      this.#heard(problem(said.data.why, body));
      return true;
    }
    const read = READ.safeParse(JSON.parse(body));
    if (!read.success) return false;
    this.#heard({ ok: true, read: read.data });
    return true;
  }

  #end(why: string): void {
    if (!this.alive) return;
    this.#why = why;
    this.#gone.abort();
    this.#socket.destroy();
  }
}

const FRAME_HEAD_BYTES = 4_096;

const SAID = z.discriminatedUnion("t", [
  z.strictObject({ t: z.literal("ready") }),
  z.strictObject({ t: z.literal("text"), n: z.int() }),
  z.strictObject({ t: z.literal("unreadable"), n: z.int(), why: z.enum(UNREADABLE) }),
]);

const READ = z.strictObject({
  kind: z.enum(DOCUMENT_KINDS),
  text: z.string(),
  cut: z.boolean(),
  pages: z.int().optional(),
  pagesWithoutText: z.int().optional(),
  macros: z.boolean().optional(),
  title: z.string().max(10_000).optional(),
  author: z.string().max(10_000).optional(),
});

function problem(why: ReadingProblem, detail: string): ReaderAnswer & { ok: false } {
  return { ok: false, why, detail };
}

/** The process is as good as before: it said itself what is wrong with the document. */
function isOfDocument(why: ReadingProblem): boolean {
  return why !== "time" && why !== "memory" && why !== "lost";
}

/** Undefined where the system does not say: no Linux, or no such process. */
function residentMb(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    return Number.isNaN(pages) ? undefined : (pages * PAGE_BYTES) / (1024 * 1024);
  } catch {
    return undefined;
  }
}

const PAGE_BYTES = 4_096;

/** Its own code can be read; nothing can be written, started or loaded beside it. */
function flags({ memoryMb }: DocumentLimits): string[] {
  const built = CHILD.endsWith(".js");
  // From sources, its imports lie all over the repository.
  const code = built ? dirname(CHILD) : fileURLToPath(new URL("../../../..", import.meta.url));
  const unpdf = dirname(dirname(fileURLToPath(import.meta.resolve("unpdf"))));
  return [
    "--permission",
    `--allow-fs-read=${join(code, "*")}`,
    `--allow-fs-read=${join(unpdf, "*")}`,
    "--no-warnings",
    "--no-addons",
    `--max-old-space-size=${Math.floor(memoryMb / 2)}`,
    "--max-semi-space-size=8",
    CHILD,
  ];
}
