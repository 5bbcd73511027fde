import type { Draft } from "@elwood/sdk/view-state/outbox";

const DATABASE = "elwood";
const STORE = "drafts";
const DRAFTS_MAX = 200;

/**
 * Drafts beyond the life of a tab. What the tab itself keeps comes first; this is read once,
 * when the chat begins, and written behind. A browser without it loses nothing but that.
 */
export class DraftArchive {
  readonly #database: Promise<IDBDatabase | undefined> = openDatabase();

  async all(): Promise<ReadonlyMap<string, Draft>> {
    const store = await this.#store("readonly");
    if (!store) return new Map();
    const [keys, drafts] = await Promise.all([
      answerTo(store.getAllKeys(undefined, DRAFTS_MAX)),
      answerTo(store.getAll(undefined, DRAFTS_MAX)),
    ]);
    // Only this class writes there.
    return new Map((keys ?? []).map((key, i) => [key as string, drafts?.[i] as Draft]));
  }

  async put(sessionKey: string, draft: Draft | undefined): Promise<void> {
    const store = await this.#store("readwrite");
    if (!store) return;
    if (draft) await answerTo(store.put(draft, sessionKey));
    else await answerTo(store.delete(sessionKey));
  }

  /** Whoever logs out leaves nothing that was typed behind. */
  async forget(): Promise<void> {
    const store = await this.#store("readwrite");
    if (store) await answerTo(store.clear());
  }

  async #store(mode: IDBTransactionMode): Promise<IDBObjectStore | undefined> {
    const database = await this.#database;
    try {
      return database?.transaction(STORE, mode).objectStore(STORE);
    } catch {
      return undefined; // closed by the browser, to make room
    }
  }
}

function openDatabase(): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    try {
      const opening = indexedDB.open(DATABASE, 1);
      opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE));
      opening.addEventListener("success", () => resolve(opening.result));
      opening.addEventListener("error", () => resolve(undefined));
      opening.addEventListener("blocked", () => resolve(undefined));
    } catch {
      resolve(undefined); // storage is forbidden here
    }
  });
}

function answerTo<T>(request: IDBRequest<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => resolve(undefined));
  });
}
