import { type FSWatcher, lstatSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** Folders that are watched below one; what lies in others is noticed by the next look through everything. */
const FOLDERS_MAX = 256;

/**
 * Watches a folder, and those below it where it is told to, and tells the place of what changed, with `/` between its steps, or undefined
 * where it is not known. Each folder has one watcher. Node's own recursive one has one for every file on Linux, and
 * reads the whole folder again whenever one of them changes. Links are not followed.
 */
export class WatchedFolders {
  readonly #root: string;
  readonly #onChange: (place: string | undefined) => void;
  readonly #withBelow: boolean;
  readonly #watchers = new Map<string, FSWatcher>();

  /** Throws where the folder itself cannot be watched. */
  constructor(
    root: string,
    onChange: (place: string | undefined) => void,
    { withBelow }: { readonly withBelow: boolean },
  ) {
    this.#root = root;
    this.#onChange = onChange;
    this.#withBelow = withBelow;
    this.#watch("");
    if (withBelow) for (const folder of this.#foldersIn("")) this.#tryFolder(folder, { isNew: false });
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): void {
    const watcher = watch(join(this.#root, folder), { persistent: false }, (what, name) => {
      if (name === null) return this.#onChange(undefined);
      const place = folder === "" ? name : `${folder}/${name}`;
      if (this.#withBelow && what === "rename" && !isFileName(name)) this.#appearedOrLeft(place);
      this.#onChange(place);
    });
    watcher.on("error", () => this.#forget(folder));
    this.#watchers.set(folder, watcher);
  }

  #appearedOrLeft(place: string): void {
    const isThere = lstatSync(join(this.#root, place), { throwIfNoEntry: false })?.isDirectory() === true;
    // One that left and came back is another one, which the old watcher does not see.
    this.#forget(place);
    if (isThere) this.#tryFolder(place, { isNew: true });
  }

  /** With those below it. What was put into a new one before it was watched is told too. */
  #tryFolder(folder: string, { isNew }: { readonly isNew: boolean }): void {
    if (this.#watchers.size >= FOLDERS_MAX) return;
    try {
      this.#watch(folder);
      if (isNew)
        for (const name of readdirSync(join(this.#root, folder))) this.#onChange(`${folder}/${name}`);
      for (const below of this.#foldersIn(folder)) this.#tryFolder(below, { isNew });
    } catch {
      // It is gone again, or closed to us.
      this.#forget(folder);
    }
  }

  #foldersIn(folder: string): string[] {
    return readdirSync(join(this.#root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => (folder === "" ? name : `${folder}/${name}`));
  }

  #forget(folder: string): void {
    for (const [place, watcher] of this.#watchers) {
      if (place !== folder && !place.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watchers.delete(place);
    }
  }
}

/** A note, or one that is being written: they come and go with every save, and are not worth a look. */
function isFileName(name: string): boolean {
  return name.endsWith(".md") || name.endsWith(".tmp");
}
