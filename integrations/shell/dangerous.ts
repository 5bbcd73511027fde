import { createContext, Script } from "node:vm";
import { SHELL_LIMITS } from "./limits.ts";

/** Commands that people regret, where the owner lists no patterns of their own and where they do, and what each does. */
const DANGERS: readonly { readonly source: string; readonly words: string }[] = [
  {
    source: String.raw`\brm\s+(?:-\S+\s+)*(?:--no-preserve-root\b|(?=\S)["']?(?:\.{0,2}|~)/?\*?["']?(?:[\s;&|]|$))`,
    words: "It deletes everything under the root, your home or the folder it runs in.",
  },
  { source: String.raw`\bmkfs(?:\.\w+)?\b`, words: "It formats a disk." },
  { source: String.raw`\bdd\b.{0,500}\bof=/dev/`, words: "It writes straight to a device." },
  {
    source: String.raw`>\s*/dev/(?:sd|hd|vd|nvme|mmcblk|mem|kmem)`,
    words: "It writes straight to a device.",
  },
  {
    source: String.raw`:\s*\(\s*\)\s*\{[^{}]{0,80}\|[^{}]{0,80}&`,
    words: "It starts itself over and over until the machine stops.",
  },
  {
    source: String.raw`\b(?:shutdown|reboot|halt|poweroff)\b|\binit\s+[06]\b`,
    words: "It turns the machine off, or starts it again.",
  },
  {
    source: String.raw`\b(?:curl|wget|fetch)\b.{0,2000}\|\s*(?:sudo\s+)?(?:\S*/)?(?:ba|da|z|k|fi|c)?sh\b`,
    words: "It runs what it downloads, unseen.",
  },
  {
    source: String.raw`\b(?:wipefs|shred|blkdiscard|fdisk|parted|sgdisk)\b`,
    words: "It wipes or divides a disk.",
  },
  {
    source: String.raw`\bchmod\s+(?:-\S+\s+)*0?777\s+/`,
    words: "It lets everybody on this machine change system folders.",
  },
  {
    source: String.raw`\bchown\s+-\S*R\S*\s+\S+\s+/(?:\s|$)`,
    words: "It changes the owner of every file on this machine.",
  },
  {
    source: String.raw`\bkill(?:all)?\s+(?:-\S+\s+)*-?1(?:\s|$)`,
    words: "It ends every program of this machine.",
  },
];

export const DANGEROUS_PATTERNS: readonly string[] = DANGERS.map(({ source }) => source);

const OWN = DANGERS.map(({ source, words }) => ({ words, pattern: new RegExp(source, "s") }));

/**
 * The first pattern that a command fits, ours before the owner's, in words. Theirs can be
 * anything, texts are anybody's, and together they can keep a matcher busy for ever: the
 * time for all of them is bounded, and a command that could not be checked in time counts as
 * one that fits.
 */
export function dangerIn(texts: readonly string[], owners: readonly string[]): string | undefined {
  if (texts.some((text) => text.length > SHELL_LIMITS.patternCharsMax)) {
    return "It is too long to be held against the dangerous patterns.";
  }
  const own = OWN.find(({ pattern }) => texts.some((text) => pattern.test(text)));
  if (own !== undefined) return own.words;
  if (owners.length === 0) return undefined;
  const context = createContext({ texts: [...texts], patterns: [...owners] });
  try {
    const found: unknown = MATCH.runInContext(context, { timeout: SHELL_LIMITS.patternsMs });
    return typeof found === "string" ? OWNERS : undefined;
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return "It could not be held against the dangerous patterns in time.";
  }
}

const OWNERS = "It fits one of the patterns that you listed as dangerous (permissions.dangerousPatterns).";

const MATCH = new Script(
  "patterns.find((pattern) => texts.some((text) => new RegExp(pattern, 's').test(text)))",
);

function isTimeout(error: unknown): boolean {
  // Not `instanceof`: the error may come from the context that was timed out.
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
