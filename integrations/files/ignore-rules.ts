import { globMatcher } from "./glob.ts";

/** Files with rules, in the order in which they count; the later one wins. */
export const IGNORE_FILES = [".gitignore", ".ignore"];
/** Rules of one file beyond this are not read. */
const RULES_MAX = 2_000;

interface Rule {
  /** Names from the folder of its file. */
  readonly fits: (names: readonly string[]) => boolean;
  readonly folders: boolean;
  readonly keeps: boolean;
}

/** What the rules of a folder and of those around it leave out. */
export interface IgnoreRules {
  /** From the outermost folder to the innermost, each with how many names it lies below the start. */
  readonly files: readonly { readonly rules: readonly Rule[]; readonly depth: number }[];
}

export const NO_RULES: IgnoreRules = { files: [] };

/** With those of a folder that lies `depth` names below the start. */
export function withRules(around: IgnoreRules, text: string, depth: number): IgnoreRules {
  const lines = text.split(/\r?\n/).slice(0, RULES_MAX);
  const rules = lines.flatMap((line) => ruleOf(line) ?? []);
  return rules.length === 0 ? around : { files: [...around.files, { rules, depth }] };
}

/** `names` are from the start. What is in an ignored folder is not looked at, so it needs no rule. */
export function isIgnored({ files }: IgnoreRules, names: readonly string[], isFolder: boolean): boolean {
  let ignored = false;
  for (const { rules, depth } of files)
    for (const rule of rules) {
      if ((rule.folders && !isFolder) || rule.keeps !== ignored) continue;
      if (rule.fits(depth === 0 ? names : names.slice(depth))) ignored = !rule.keeps;
    }
  return ignored;
}

function ruleOf(line: string): Rule | undefined {
  const text = line.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return undefined;
  const keeps = text.startsWith("!");
  const body = (keeps ? text.slice(1) : text).replace(/^\\(?=[!#])/, "");
  const folders = body.endsWith("/");
  const pattern = body.replace(/\/+$/, "").replace(/^\//, "");
  if (pattern === "") return undefined;
  const anchored = body.replace(/\/+$/, "").includes("/");
  // Without a slash in between it is meant at any depth.
  return {
    fits: globMatcher(`${anchored ? "/" : ""}${pattern.replace(/\/\*\*$/, "/**/*")}`),
    folders,
    keeps,
  };
}
