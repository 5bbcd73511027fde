import { createHash } from "node:crypto";
import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import { type CallFact, type TextChange, ToolError } from "@elwood/sdk/tool";
import type { Disk } from "./atomic-write.ts";
import { textOf } from "./file-content.ts";
import { FileProblem, isMissing } from "./file-problem.ts";
import type { FileLimits } from "./limits.ts";
import type { LookThreads } from "./look-threads.ts";
import { neighbours, sameNameBelow } from "./neighbours.ts";
import type { Opener, Spot } from "./safe-open.ts";
import { isObeyedPath } from "./obeyed-names.ts";
import type { Intent, Place, Scope } from "./scope.ts";
import type { PathMutex } from "./path-mutex.ts";
import type { UndoStore } from "./undo-store.ts";

/** Whether a call that was cut off took effect. */
export type Settled = "happened" | "did-not-happen" | "unknown";

/** What every file tool is made of. */
export interface FilesKit {
  readonly scope: Scope;
  readonly opener: Opener;
  readonly disk: Disk;
  readonly undo: UndoStore;
  readonly turns: PathMutex;
  readonly limits: FileLimits;
  readonly documents: DocumentReader;
  readonly threads: LookThreads;
  /** A moment as the owner's clock shows it, with its offset: 2026-11-17T22:26:05+09:00. */
  readonly localTime: (at: number) => string;
  /** What the model is told of every path that it may give. */
  readonly pathWords: string;
}

/** Says a FileProblem as the gate takes it: the call did not take effect, and why. Anything else goes through. */
export async function said<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    throw new ToolError(error.rule ?? error.code, error.message, { retryable: error.code === "conflict" });
  }
}

/**
 * The same for work on one path: where nothing is there, what has this name in another folder that
 * was given to Elwood, or further down, is said too, or else what is called nearly the same beside it. Relative paths
 * begin in the first folder, and nobody remembers which that was when a file was made.
 */
export function saidOf<T>(kit: FilesKit, path: string, work: () => Promise<T>): Promise<T> {
  return said(async () => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FileProblem) || error.code !== "not-found") throw error;
      const found = await namesakes(kit, path);
      if (found.length > 0)
        throw new FileProblem(error.code, `${error.message} There is one at ${found.join(" and at ")}.`);
      const below = await sameNameBelow(kit, path);
      const near = below.length > 0 ? below : await neighbours(kit, path);
      if (near.length === 0) throw error;
      throw new FileProblem(error.code, `${error.message} There is ${near.join(" and ")}.`);
    }
  });
}

async function namesakes(kit: FilesKit, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const place of await kit.scope.elsewhere(path)) {
    try {
      const stats = await kit.opener.atSpot(place, {}, (spot) => kit.opener.look(spot));
      if (stats !== undefined) found.push(place.shown);
    } catch (error) {
      // What cannot be looked at there is not offered.
      if (!(error instanceof FileProblem)) throw error;
    }
  }
  return found;
}

/** Settling a call must not fail: a path that cannot be looked at any more leaves it open. */
export async function settled(work: () => Promise<Settled>): Promise<Settled> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileProblem) return "unknown";
    throw error;
  }
}

/**
 * What about a path must be denied or asked, found by going there without touching anything.
 * That a file is missing is no fact: the call itself says so.
 */
export async function pathFacts(
  kit: FilesKit,
  path: string,
  intent: Intent,
  opens: "content" | "names" = "content",
): Promise<CallFact[]> {
  const facts: CallFact[] = [];
  try {
    const place = await kit.scope.locate(path, intent);
    if (opens === "content" && kit.scope.holdsKeys(place)) facts.push(keyFileFact(place));
    if (intent !== "read" && (await kit.scope.agentPlaces())(place)) facts.push(agentFileFact());
    else if (intent !== "read" && isObeyedPath(place.names)) facts.push(obeyedFact(place));
    if (intent !== "read" && place.synced === true) facts.push(syncedFact(place));
    if (place.names.length > 0) await kit.opener.atSpot(place, {}, (spot) => kit.opener.look(spot));
  } catch (error) {
    facts.push(...denyFacts(error));
  }
  return facts;
}

export function denyFacts(error: unknown): CallFact[] {
  if (!(error instanceof FileProblem)) throw error;
  return error.rule === undefined ? [] : [{ kind: "deny", rule: error.rule, reason: error.message }];
}

export function keyFileFact({ shown }: Pick<Place, "shown">): CallFact {
  return {
    kind: "ask",
    rule: "ask.key-file",
    reason: `${shown} is a file that usually holds keys, passwords or what you typed, so opening, changing or moving it always asks.`,
  };
}

export function agentFileFact(): CallFact {
  return {
    kind: "ask",
    rule: "ask.agent-file",
    reason: "This file tells Elwood who it is or what it can do, so a change to it always asks.",
  };
}

function syncedFact(place: Place): CallFact {
  return {
    kind: "ask",
    rule: "ask.synced-folder",
    reason: `${place.shown} is in a folder that you marked as synced to other places, so changing it always asks.`,
  };
}

function obeyedFact(place: Place): CallFact {
  return {
    kind: "ask",
    rule: "ask.obeyed-file",
    reason: `${place.shown} is a name that other programs run or obey, so changing it always asks.`,
  };
}

/** Where nothing else speaks of a change: that it can be taken back, if what is there before fits and is kept. */
export async function withUndoable(
  kit: FilesKit,
  place: string,
  goes: { readonly items: number; readonly bytes: number },
  facts: readonly CallFact[],
): Promise<CallFact[]> {
  if (facts.length > 0 || !(await kit.undo.hasRoom(goes))) return [...facts];
  const days = Math.floor(kit.limits.undoKeptMs / DAY_MS);
  const reason = `What ${place} was before is kept for ${days} days, so this can be undone.`;
  return [{ kind: "undoable", rule: "files.undo-kept", reason }];
}

const DAY_MS = 24 * 60 * 60_000;

/** The same for what is at a path now; what is too large to keep cannot be put back. */
export async function withUndoableAt(
  kit: FilesKit,
  path: string,
  facts: readonly CallFact[],
): Promise<CallFact[]> {
  if (facts.length > 0) return [...facts];
  try {
    const place = await kit.scope.locate(path, "write");
    const stats = await kit.opener.atSpot(place, {}, (spot) => kit.opener.look(spot));
    const bytes = Number(stats?.size ?? 0n);
    if (bytes > kit.limits.undoItemBytesMax) return [];
    return await withUndoable(kit, path, { items: stats === undefined ? 0 : 1, bytes }, facts);
  } catch (error) {
    if (isMissing(error) || (error instanceof FileProblem && error.code === "not-found"))
      return withUndoable(kit, path, { items: 0, bytes: 0 }, facts);
    if (error instanceof FileProblem) return [];
    throw error;
  }
}

/** The text of a file before and after a change. A change that will fail replaces nothing. */
export async function textChange(
  look: () => Promise<{ readonly before: Buffer | undefined; readonly after: () => string }>,
): Promise<TextChange | undefined> {
  try {
    const { before, after } = await look();
    if (before === undefined) return undefined;
    const text = textOf(before);
    return text === undefined ? "unread" : { before: text, after: after() };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return error.code === "too-large" ? "unread" : undefined;
  }
}

/** A call's key as a file name. */
export function keyName(idempotencyKey: string): string {
  return createHash("sha256").update(idempotencyKey).digest("hex");
}

/**
 * For what goes wrong after the world was changed. It is no FileProblem on purpose: the call
 * must not be told as one that did nothing.
 */
export function halfDone(message: string, cause: unknown): Error {
  return new Error(message, { cause });
}

/** Opens the folder around a path that the call will change. */
export async function changing<T>(
  kit: FilesKit,
  path: string,
  intent: Intent,
  options: { readonly makeFolders?: string[] },
  work: (spot: Spot) => Promise<T>,
): Promise<T> {
  const place = await kit.scope.locate(path, intent);
  return kit.turns([place.shown], () => kit.opener.atSpot(place, options, work));
}

export function refuseStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new FileProblem("stopped", "The call was stopped before it changed anything.");
}

/** Names of files may hold anything; on a screen they hold no control characters. */
export function nameInWords(name: string): string {
  return name.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}
