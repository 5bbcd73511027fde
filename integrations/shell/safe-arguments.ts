import { looksLikeSyntax } from "./command-line.ts";

/** What may follow an option, or stand as a word of its own. */
export type Kind =
  | "number"
  /** A number that may carry a sign and a unit, such as `+20` or `2K`. */
  | "count"
  | "word"
  /** One character, such as a delimiter. */
  | "sign"
  /** Fields or positions, such as `1,3-5` or `2.1nr`. */
  | "fields"
  /** A file or folder below the working root. */
  | "path"
  /** A file: a folder in its place is asked about. */
  | "file"
  /** `+%Y-%m-%d` */
  | "date-format"
  /** A name of a program. */
  | "name"
  /** A revision, or a revision and a path: `HEAD~2`, `main..topic`, `HEAD:notes.md`. */
  | "revision"
  /** How git is to print a commit; without what makes it check signatures by a program. */
  | "git-format"
  | readonly string[];

export interface Profile {
  /** One-letter options without a value. */
  readonly letters?: string;
  /** One-letter options with a value, attached or as the next word. */
  readonly lettersWith?: Readonly<Record<string, Kind>>;
  /** Long options by their whole name; an abbreviation is not one of them. */
  readonly long?: readonly string[];
  /** Long options with a value after `=`. */
  readonly longWith?: Readonly<Record<string, Kind>>;
  /** `-5` */
  readonly bareNumber?: boolean;
  /** What the words beside the options are, in order; the last kind holds for all further ones. */
  readonly words?: readonly Kind[];
  readonly wordsMax?: number;
  /** Options that must be there. */
  readonly needs?: readonly string[];
  /** Where one of these options is given, the first kind of word is not expected. */
  readonly patternOptions?: string;
  /** Words after `--` are paths, whatever they were before it. */
  readonly pathsAfterDashes?: boolean;
}

/** A word whose place on disk has to be looked at. */
export interface PathWord {
  readonly text: string;
  readonly kind: "path" | "file";
}

/**
 * Whether every argument is one that the profile names. undefined where one is not: an
 * option nobody listed, an abbreviation, a value of the wrong shape, a word too many. What
 * is left to look at are the paths.
 */
export function fitProfile(profile: Profile, args: readonly string[]): readonly PathWord[] | undefined {
  const fit = new Fit(profile);
  return fit.take(args) ? fit.paths : undefined;
}

class Fit {
  readonly paths: PathWord[] = [];
  readonly #profile: Profile;
  readonly #seen = new Set<string>();
  #words = 0;
  #ended = false;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  take(args: readonly string[]): boolean {
    const kinds = () => this.#kinds();
    for (let i = 0; i < args.length; i++) {
      const arg = args[i]!;
      if (arg === "" || looksLikeSyntax(arg)) return false;
      if (this.#ended || !arg.startsWith("-")) {
        if (!this.#word(arg, kinds())) return false;
      } else if (arg === "--") this.#ended = true;
      else if (arg.startsWith("--")) {
        if (!this.#long(arg)) return false;
      } else {
        const used = this.#short(arg, args[i + 1]);
        if (used === undefined) return false;
        i += used;
      }
    }
    return (this.#profile.needs ?? []).every((option) => this.#seen.has(option));
  }

  #kinds(): readonly Kind[] {
    const { words = [], patternOptions = "" } = this.#profile;
    return patternOptions.split("").some((letter) => this.#seen.has(letter)) ? words.slice(1) : words;
  }

  #word(word: string, kinds: readonly Kind[]): boolean {
    const { wordsMax = Number.POSITIVE_INFINITY, pathsAfterDashes } = this.#profile;
    const listed = kinds[Math.min(this.#words, kinds.length - 1)];
    const kind = this.#ended && pathsAfterDashes ? "path" : listed;
    this.#words += 1;
    // After `--` a word may begin with a dash, and another program down the line may not know.
    return kind !== undefined && this.#words <= wordsMax && !word.startsWith("-") && this.#value(word, kind);
  }

  #long(arg: string): boolean {
    const { long = [], longWith = {} } = this.#profile;
    const equals = arg.indexOf("=");
    const name = arg.slice(2, equals < 0 ? undefined : equals);
    this.#seen.add(name);
    if (equals < 0) return long.includes(name);
    const kind = Object.hasOwn(longWith, name) ? longWith[name] : undefined;
    return kind !== undefined && this.#value(arg.slice(equals + 1), kind);
  }

  /** How many further words it used up. */
  #short(arg: string, next: string | undefined): number | undefined {
    const { letters = "", lettersWith = {}, bareNumber, patternOptions = "" } = this.#profile;
    if (bareNumber && /^-\d{1,9}$/.test(arg)) return 0;
    if (arg === "-") return undefined;
    for (let i = 1; i < arg.length; i++) {
      const letter = arg[i]!;
      // The pattern comes by option after all, so the word that was taken for it is a file nobody looked at.
      if (patternOptions.includes(letter) && this.#words > 0) return undefined;
      this.#seen.add(letter);
      const kind = Object.hasOwn(lettersWith, letter) ? lettersWith[letter] : undefined;
      if (kind !== undefined) {
        const attached = arg.slice(i + 1);
        if (attached !== "") return this.#value(attached, kind) ? 0 : undefined;
        if (next === undefined || next === "" || looksLikeSyntax(next)) return undefined;
        return this.#value(next, kind) ? 1 : undefined;
      }
      if (!letters.includes(letter)) return undefined;
    }
    return 0;
  }

  #value(text: string, kind: Kind): boolean {
    if (typeof kind !== "string") return kind.includes(text);
    if (kind === "path" || kind === "file") {
      this.paths.push({ text, kind });
      return true;
    }
    if (kind === "revision") return this.#revision(text);
    return SHAPES[kind].test(text);
  }

  /** `git show HEAD:dir/file` names a file too. */
  #revision(text: string): boolean {
    if (!/^[^\s:\\-][^\s:\\]*(:[^\s:\\-][^\s:\\]*)?$/.test(text)) return false;
    const path = text.slice(text.indexOf(":") + 1);
    if (/^[0-9a-f]{4,}[0-9a-f^~.]*$/.test(path)) return true;
    // A word may be a revision or a path, and a range of revisions looks like one; what it would be as a path is looked at.
    this.paths.push({ text: path, kind: "path" });
    return true;
  }
}

const SHAPES: Readonly<Record<Exclude<Kind, "path" | "file" | "revision" | readonly string[]>, RegExp>> = {
  number: /^\d{1,9}$/,
  count: /^[+-]?\d{1,12}[kKMGTb]?[B]?$/,
  word: /^[^-\s][^\n]*$/,
  sign: /^[^\n\\]$/u,
  fields: /^[0-9][0-9.,bdfgiMhnRrV-]*$/,
  "date-format": /^\+[%A-Za-z0-9 :_.,/+-]*$/,
  name: /^[A-Za-z0-9][A-Za-z0-9._+-]*$/,
  "git-format":
    /^(?!.*%[+ -]*G)(?:oneline|short|medium|full|fuller|reference|raw|(?:t?format:|%)[%A-Za-z0-9 ,.:;_/@+=-]*)$/,
};
