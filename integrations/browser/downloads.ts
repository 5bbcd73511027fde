import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "@elwood/sdk/tool";
import type { Download } from "playwright-core";
import type { BrowserLimits } from "./limits.ts";
import type { Clock } from "./options.ts";
import { quoted, sizeInWords } from "./words.ts";
import { inTime } from "./in-time.ts";

/** A file that a page sent. It lies in the browser's own folder, and goes with it unless it is saved. */
export interface HeldDownload {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly path: string;
  readonly bytes: number;
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly settled: Promise<HeldDownload | string>;
  held?: HeldDownload;
}

/** Files that the pages of one session sent, few and small, until the owner says what becomes of them. */
export class Downloads {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #limits: BrowserLimits;
  readonly #note: (words: string) => void;
  readonly #entries = new Map<string, Entry>();
  #count = 0;

  constructor(folder: string, clock: Clock, limits: BrowserLimits, note: (words: string) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#limits = limits;
    this.#note = note;
  }

  /** Called for each file that a page begins to send. */
  take(download: Download): void {
    const { nameCharsMax, downloadsHeldMax } = this.#limits;
    const shown = quoted(download.suggestedFilename(), nameCharsMax);
    const from = quoted(download.url(), nameCharsMax);
    if (this.#entries.size >= downloadsHeldMax) {
      void download.cancel().catch(() => undefined);
      this.#note(
        `The page sent a file ${shown} from ${from}. It was refused: ${downloadsHeldMax} are held already.`,
      );
      return;
    }
    const id = `d${++this.#count}`;
    const [name, url] = [download.suggestedFilename(), download.url()];
    const entry: Entry = { id, name, url, settled: this.#settle(id, download) };
    this.#entries.set(id, entry);
    void this.#follow(entry, shown);
    this.#note(
      `The page sent a file ${shown} from ${from}. It is held back as ${id} and was not saved; browser.download.save asks whether to keep it.`,
    );
  }

  /** The file, once it is all there. */
  async get(id: string): Promise<HeldDownload> {
    const entry = this.#entries.get(id);
    if (!entry) {
      const known = [...this.#entries.keys()].join(", ") || "none";
      throw new ToolError("not_found", `There is no download ${id} in this conversation; held: ${known}.`);
    }
    const late = () => "it is still being sent; try again in a moment";
    const end = await inTime(this.#clock, this.#limits.downloadMs, entry.settled, late);
    if (typeof end === "string") throw new ToolError("not_ready", `The download ${id}: ${end}.`);
    return end;
  }

  /** It was saved: there is room for another. */
  async drop({ id, path }: HeldDownload): Promise<void> {
    this.#entries.delete(id);
    await rm(path, { force: true });
  }

  list(): string[] {
    return [...this.#entries.values()].map(({ id, name, held }) => {
      const size = held ? sizeInWords(held.bytes) : "still being sent";
      return `${id} ${quoted(name, this.#limits.nameCharsMax)} (${size})`;
    });
  }

  async #follow(entry: Entry, shown: string): Promise<void> {
    const end = await entry.settled;
    if (typeof end !== "string") {
      entry.held = end;
      return;
    }
    this.#entries.delete(entry.id);
    this.#note(`The file ${shown} (${entry.id}) was not taken: ${end}.`);
  }

  /** A string says why there is no file. */
  async #settle(id: string, download: Download): Promise<HeldDownload | string> {
    const over = new AbortController();
    const watched = this.#watch(download, over.signal);
    try {
      const path = await download.path();
      const { size } = await stat(path);
      if (size > this.#limits.downloadBytesMax) return this.#tooLarge();
      return { id, name: download.suggestedFilename(), url: download.url(), path, bytes: size };
    } catch {
      const why = await download.failure().catch(() => null);
      return why === "canceled" ? this.#tooLarge() : "the connection broke off";
    } finally {
      over.abort("settled");
      await watched;
    }
  }

  /** Chromium fetches as much as it is sent, so somebody must look. */
  async #watch(download: Download, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#clock.sleep(this.#limits.downloadWatchMs, over);
      if (over.aborted || (await this.#bytesHeld()) <= this.#limits.downloadBytesMax) continue;
      await download.cancel().catch(() => undefined);
      return;
    }
  }

  async #bytesHeld(): Promise<number> {
    const names = await readdir(this.#folder).catch(() => []);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(this.#folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  #tooLarge(): string {
    return `downloads may hold ${sizeInWords(this.#limits.downloadBytesMax)} together, and it was larger`;
  }
}
