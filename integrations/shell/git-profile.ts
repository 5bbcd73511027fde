import { fitProfile, type PathWord, type Profile } from "./safe-arguments.ts";

const COMMON = {
  long: [
    "abbrev-commit",
    "all",
    "branches",
    "cached",
    "cc",
    "compact-summary",
    "decorate",
    "first-parent",
    "follow",
    "full-index",
    "graph",
    "ignore-all-space",
    "ignore-blank-lines",
    "ignore-space-change",
    "merge-base",
    "merges",
    "minimal",
    "name-only",
    "name-status",
    "no-abbrev-commit",
    "no-color",
    "no-decorate",
    "no-merges",
    "no-patch",
    "no-renames",
    "numstat",
    "oneline",
    "patch",
    "patch-with-stat",
    "raw",
    "relative-date",
    "reverse",
    "shortstat",
    "staged",
    "stat",
    "summary",
    "tags",
    "topo-order",
    "date-order",
  ],
  longWith: {
    abbrev: "number",
    after: "word",
    author: "word",
    before: "word",
    color: ["never"],
    committer: "word",
    date: ["iso", "iso-strict", "short", "relative", "local", "default", "human", "rfc", "unix", "raw"],
    decorate: ["short", "full", "no"],
    "diff-filter": "name",
    format: "git-format",
    grep: "word",
    "max-count": "number",
    pretty: "git-format",
    since: "word",
    skip: "number",
    stat: "fields",
    unified: "number",
    until: "word",
  },
  lettersWith: { n: "number", U: "number" },
  pathsAfterDashes: true,
  words: ["revision"],
} as const satisfies Profile;

/** What git is asked for where it only looks. */
const SUBCOMMANDS: Readonly<Record<string, Profile>> = {
  status: {
    letters: "sbuz",
    long: ["short", "branch", "long", "porcelain", "show-stash", "ahead-behind", "no-renames", "null"],
    longWith: { porcelain: ["v1", "v2"], "untracked-files": ["no", "normal", "all"] },
    pathsAfterDashes: true,
    words: ["path"],
  },
  log: { ...COMMON, letters: "pcmiE", bareNumber: true },
  show: { ...COMMON, letters: "pcms" },
  diff: { ...COMMON, letters: "pbwamR", long: [...COMMON.long, "exit-code", "check", "quiet"] },
  shortlog: { ...COMMON, letters: "sneci" },
  blame: {
    letters: "wstlefn",
    lettersWith: { L: "fields" },
    long: ["show-name", "show-number", "show-email", "porcelain", "line-porcelain"],
    pathsAfterDashes: true,
    words: ["revision"],
    wordsMax: 2,
  },
  "rev-parse": {
    long: [
      "abbrev-ref",
      "git-dir",
      "is-inside-work-tree",
      "is-bare-repository",
      "short",
      "show-cdup",
      "show-prefix",
      "show-toplevel",
      "symbolic-full-name",
      "verify",
      "quiet",
    ],
    letters: "q",
    longWith: { short: "number" },
    words: ["revision"],
  },
  "rev-list": {
    letters: "",
    lettersWith: { n: "number" },
    long: ["count", "all", "no-merges", "merges", "first-parent", "reverse", "left-right"],
    longWith: { "max-count": "number", since: "word", until: "word", author: "word" },
    pathsAfterDashes: true,
    words: ["revision"],
  },
  "ls-files": {
    letters: "cdmosuktvz",
    long: ["cached", "deleted", "modified", "others", "stage", "unmerged", "exclude-standard", "full-name"],
    pathsAfterDashes: true,
    words: ["path"],
  },
  "ls-tree": {
    letters: "drtlz",
    long: ["name-only", "name-status", "full-name", "full-tree", "long"],
    words: ["revision", "path"],
  },
  "merge-base": { letters: "a", long: ["all", "is-ancestor"], words: ["revision"] },
  // Not `dirty`: it asks git in each submodule, and nobody looked at the settings there.
  describe: {
    long: ["tags", "all", "always", "long", "first-parent"],
    longWith: { abbrev: "number" },
    words: ["revision"],
  },
  // Without one of these options, a word would be the name of a branch or tag to make.
  branch: {
    letters: "avr",
    long: ["list", "all", "remotes", "verbose", "show-current", "no-color"],
    wordsMax: 0,
  },
  tag: { letters: "l", long: ["list", "no-color"], wordsMax: 0 },
  reflog: { wordsMax: 0 },
  "count-objects": { letters: "vH" },
  version: {},
};

/** Paths to look at where it is a git command that only looks; undefined for any other. */
export function fitGit(args: readonly string[]): readonly PathWord[] | undefined {
  const [subcommand, ...rest] = args;
  if (subcommand === "--version") return rest.length === 0 ? [] : undefined;
  if (subcommand === undefined || !Object.hasOwn(SUBCOMMANDS, subcommand)) return undefined;
  const profile = SUBCOMMANDS[subcommand]!;
  return fitProfile(profile, rest);
}

/** Settings of a repository can name programs for git to run. On the command line these win over them. */
const SETTINGS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "diff.ignoreSubmodules=all",
  "status.submoduleSummary=false",
  "submodule.recurse=false",
  "log.showSignature=false",
  "format.pretty=medium",
  "gpg.program=/bin/false",
  "safe.bareRepository=explicit",
  "protocol.allow=never",
  "gc.auto=0",
  "maintenance.auto=false",
];

const SHOWS_CHANGES = new Set(["log", "show", "diff", "shortlog", "blame"]);

/** The same command, made so that the repository it looks at has no say in what is run. */
export function guardedGit(args: readonly string[]): string[] {
  const [subcommand, ...rest] = args;
  const guards = SETTINGS.flatMap((setting) => ["-c", setting]);
  if (subcommand === undefined || subcommand === "--version") return [...args];
  const more =
    subcommand === "status"
      ? ["--ignore-submodules=all"]
      : subcommand === "blame"
        ? ["--no-textconv"]
        : SHOWS_CHANGES.has(subcommand) && subcommand !== "shortlog"
          ? ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]
          : [];
  return ["--no-pager", "--no-optional-locks", ...guards, subcommand, ...more, ...rest];
}

export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ATTR_NOSYSTEM: "1",
};
