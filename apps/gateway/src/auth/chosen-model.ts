import { readFileSync, rmSync, statSync } from "node:fs";
import { writeFileAtomic } from "@elwood/platform/atomic-file";

/**
 * The model that the owner chose on the page or the command line, where the configuration
 * names none. A file of one line, so that a gateway hears of a choice that a command made.
 */
export interface ChosenModel {
  current(): string | undefined;
  /** undefined takes the choice back. */
  choose(model: string | undefined): Promise<void>;
}

const CHARS_MAX = 300;

export function chosenModel(path: string): ChosenModel {
  let known: { readonly mtimeMs: number; readonly model: string | undefined } | undefined;
  return {
    current() {
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found) return undefined;
      if (known?.mtimeMs !== found.mtimeMs) {
        const text = readFileSync(path, "utf8").slice(0, CHARS_MAX).trim();
        known = { mtimeMs: found.mtimeMs, model: text === "" ? undefined : text };
      }
      return known.model;
    },
    async choose(model) {
      known = undefined;
      if (model === undefined) rmSync(path, { force: true });
      else await writeFileAtomic(path, `${model}\n`, { mode: 0o600 });
    },
  };
}
