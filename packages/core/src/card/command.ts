/**
 * What a command line does, as far as its text tells: which parts delete, upload, overwrite or
 * run what nobody can see yet. It marks and explains; it allows nothing. A part that is not
 * understood is marked rather than passed over.
 */

/** `danger`: it destroys, sends out or runs the unseen. `care`: worth a second look. */
export type PartRisk = "danger" | "care";

export interface CommandPart {
  readonly text: string;
  readonly risk?: PartRisk;
}

export interface CommandEffect {
  /** "deletes notes/old" */
  readonly words: string;
  readonly risk: PartRisk;
  /** It needs the network, and fails without. */
  readonly network?: boolean;
}

export interface CommandReading {
  /** Joined they are the command, to the last character. */
  readonly parts: readonly CommandPart[];
  readonly effects: readonly CommandEffect[];
  /** Something in it cannot be taken back. */
  readonly destructive: boolean;
}

const DEPTH_MAX = 4;
const EFFECTS_MAX = 8;
const MARKS_MAX = 200;
const TARGETS_SHOWN = 3;
const TARGET_CHARS = 60;

/** The command of a call as one would type it, and what it does. */
export function readCommand(input: {
  readonly argv?: unknown;
  readonly command?: unknown;
}): CommandReading & { readonly text: string } {
  const argv = Array.isArray(input.argv) ? input.argv.map(String) : undefined;
  const text = argv ? commandText(argv) : typeof input.command === "string" ? input.command : "";
  return { text, ...readLine(text) };
}

/** Whether more than one command stands in the line. */
export function isChained(text: string): boolean {
  return (split(text)?.commands.length ?? 0) > 1;
}

/** Arguments as one would have to type them. What is handed to `bash -c` is shown as the script it is. */
export function commandText(argv: readonly string[]): string {
  const [name = "", flag, script] = argv;
  if (argv.length === 3 && flag === "-c" && SHELLS.has(baseName(name))) return script ?? "";
  return argv.map(quoted).join(" ");
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

export function readLine(text: string): CommandReading {
  const marks: Mark[] = [];
  look(text, 0, marks, 0);
  if (marks.length > MARKS_MAX) return readWhole(text, marks);
  const effects = uniqueEffects(marks);
  return {
    parts: partsOf(text, marks),
    effects: effects.slice(0, EFFECTS_MAX),
    destructive: marks.some(({ effect }) => effect.risk === "danger"),
  };
}

/** So many parts that nobody reads them one by one: the whole is marked by the worst of them. */
function readWhole(text: string, marks: readonly Mark[]): CommandReading {
  const effects = uniqueEffects(marks);
  const destructive = effects.some(({ risk }) => risk === "danger");
  return {
    parts: [{ text, risk: destructive ? "danger" : "care" }],
    effects: effects.slice(0, EFFECTS_MAX),
    destructive,
  };
}

interface Mark {
  readonly start: number;
  readonly end: number;
  readonly effect: CommandEffect;
}

interface Word {
  /** Without its quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A shell would put something else in its place. */
  readonly made: boolean;
  /** Written without quotes, so that a star in it stands for many. */
  readonly bare: boolean;
}

interface Redirect {
  readonly sign: string;
  readonly to: Word | undefined;
  readonly start: number;
}

interface Simple {
  readonly words: Word[];
  readonly redirects: Redirect[];
  readonly start: number;
  end: number;
  /** What comes out of the command before goes into this one. */
  readonly piped: boolean;
}

/** Reads one line, or a script inside of one; `offset` is where it stands in the whole. */
function look(text: string, offset: number, marks: Mark[], depth: number): void {
  const read = split(text);
  if (read === undefined || depth > DEPTH_MAX) {
    const risk = DANGER_WORD.test(text) ? "danger" : "care";
    marks.push({
      start: offset,
      end: offset + text.length,
      effect: { words: "could not be read part by part", risk },
    });
    return;
  }
  let before: Simple | undefined;
  for (const simple of read.commands) {
    for (const effect of effectsOf(simple, before))
      marks.push({ start: offset + simple.start, end: offset + simple.end, effect });
    for (const redirect of simple.redirects) {
      const effect = redirectEffect(redirect);
      if (effect)
        marks.push({
          start: offset + redirect.start,
          end: offset + (redirect.to?.end ?? redirect.start + 1),
          effect,
        });
    }
    before = simple;
  }
  // A command inside of a word, `$(…)`, or a script that is handed to a shell.
  for (const inner of read.inner) look(inner.text, offset + inner.start, marks, depth + 1);
  for (const { words } of read.commands) {
    const script = scriptOf(words);
    if (script === undefined) continue;
    const inside: Mark[] = [];
    look(script.text, 0, inside, depth + 1);
    // Quotes may stand between the two, so that the whole word is marked.
    for (const { effect } of inside)
      marks.push({ start: offset + script.start, end: offset + script.end, effect });
  }
}

const DANGER_WORD = /\b(?:rm|shred|unlink|mkfs|dd|wipefs|curl|wget|scp|rsync|eval|sudo)\b/;

/** The simple commands of a line, or undefined where it has no end or holds what is not read here. */
function split(
  text: string,
):
  | { readonly commands: readonly Simple[]; readonly inner: readonly { text: string; start: number }[] }
  | undefined {
  const commands: Simple[] = [];
  const inner: { text: string; start: number }[] = [];
  let simple: Simple | undefined;
  let redirect: { sign: string; start: number } | undefined;
  let piped = false;
  const close = () => {
    if (redirect && simple) simple.redirects.push({ ...redirect, to: undefined });
    redirect = undefined;
    if (simple) commands.push(simple);
    simple = undefined;
  };
  let i = 0;
  while (i < text.length) {
    const c = text[i]!;
    if (c === " " || c === "\t") {
      i += 1;
      continue;
    }
    if (c === "#" && (i === 0 || /\s|[;&|(]/.test(text[i - 1]!))) {
      const end = text.indexOf("\n", i);
      i = end < 0 ? text.length : end;
      continue;
    }
    if (text.startsWith("<<", i) && !text.startsWith("<<<", i)) return undefined;
    if (";&|\n(){}".includes(c) && !(c === "&" && text[i + 1] === ">")) {
      // Braces are signs only where they stand alone; elsewhere they belong to a word.
      const brace = c === "{" || c === "}";
      if (!brace || /^[\s;]|^$/.test(text[i + 1] ?? "")) {
        close();
        const pair = text.slice(i, i + 2);
        piped = c === "|" && pair !== "||";
        i += pair === "&&" || pair === "||" || pair === "|&" || pair === ";;" ? 2 : 1;
        continue;
      }
    }
    simple ??= { words: [], redirects: [], start: i, end: i, piped };
    piped = false;
    const sign = /^(?:\d*(?:>>|>\||>&|<&|<<<|<>|>|<)|&>>?)/.exec(text.slice(i, i + 6))?.[0];
    if (sign !== undefined && sign !== "") {
      redirect = { sign, start: i };
      i += sign.length;
      simple.end = i;
      continue;
    }
    const word = takeWord(text, i, inner);
    if (word === undefined) return undefined;
    if (redirect) {
      simple.redirects.push({ ...redirect, to: word });
      redirect = undefined;
    } else simple.words.push(word);
    i = word.end;
    simple.end = i;
  }
  close();
  return { commands, inner };
}

function takeWord(text: string, start: number, inner: { text: string; start: number }[]): Word | undefined {
  let value = "";
  let made = false;
  let bare = false;
  let i = start;
  while (i < text.length) {
    const c = text[i]!;
    if (/[\s;&|()<>]/.test(c)) break;
    if (c === "'") {
      const end = text.indexOf("'", i + 1);
      if (end < 0) return undefined;
      value += text.slice(i + 1, end);
      i = end + 1;
    } else if (c === '"') {
      const end = doubleQuoted(text, i + 1, inner);
      if (end === undefined) return undefined;
      const inside = text.slice(i + 1, end);
      made ||= /[$`]/.test(inside);
      value += inside.replaceAll(/\\([$`"\\])/g, "$1");
      i = end + 1;
    } else if (c === "\\") {
      // A character that deceives the eye arrives written out, and stays so.
      const shown = ESCAPED.exec(text.slice(i, i + 12))?.[0];
      value += shown ?? text[i + 1] ?? "";
      bare = true;
      i += shown?.length ?? 2;
    } else if (c === "`" || text.startsWith("$(", i)) {
      const end = innerEnd(text, i);
      if (end === undefined) return undefined;
      const from = i + (c === "`" ? 1 : 2);
      inner.push({ text: text.slice(from, end - 1), start: from });
      value += text.slice(i, end);
      made = true;
      i = end;
    } else {
      made ||= c === "$";
      bare = true;
      value += c;
      i += 1;
    }
  }
  return { text: value, start, end: i, made, bare };
}

const ESCAPED = /^\\u(?:[0-9a-f]{4}|\{[0-9a-f]{1,6}\})/;

/** Where the text in double quotes ends. */
function doubleQuoted(
  text: string,
  start: number,
  inner: { text: string; start: number }[],
): number | undefined {
  let i = start;
  while (i < text.length) {
    const c = text[i]!;
    if (c === '"') return i;
    if (c === "\\") i += 2;
    else if (c === "`" || text.startsWith("$(", i)) {
      const end = innerEnd(text, i);
      if (end === undefined) return undefined;
      const from = i + (c === "`" ? 1 : 2);
      inner.push({ text: text.slice(from, end - 1), start: from });
      i = end;
    } else i += 1;
  }
  return undefined;
}

/** Just behind the end of `$(…)` or of back quotes. */
function innerEnd(text: string, start: number): number | undefined {
  if (text[start] === "`") {
    const end = text.indexOf("`", start + 1);
    return end < 0 ? undefined : end + 1;
  }
  let open = 0;
  let quote = "";
  for (let i = start + 1; i < text.length; i++) {
    const c = text[i]!;
    if (quote !== "") {
      if (c === quote) quote = "";
      else if (c === "\\" && quote === '"') i += 1;
    } else if (c === "'" || c === '"') quote = c;
    else if (c === "\\") i += 1;
    else if (c === "(") open += 1;
    else if (c === ")" && --open === 0) return i + 1;
  }
  return undefined;
}

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "ash"]);
/** Programs that only start another one, which follows. */
const STARTERS = new Set(
  "sudo doas env nohup nice ionice time timeout command exec builtin xargs busybox toybox stdbuf setsid chronic unbuffer parallel watch".split(
    " ",
  ),
);
const RESERVED = new Set(
  "if then else elif fi while until do done for in case esac ! time function".split(" "),
);

interface Called {
  readonly name: string;
  readonly args: readonly Word[];
  readonly asRoot: boolean;
  /** The words come from elsewhere, as with xargs. */
  readonly fed: boolean;
  readonly made: boolean;
}

/** The program that a simple command runs, behind whatever only starts it. */
function called(words: readonly Word[]): Called | undefined {
  let rest = [...words];
  let asRoot = false;
  let fed = false;
  for (let turn = 0; turn < 8; turn++) {
    while (rest[0] && (RESERVED.has(rest[0].text) || /^[A-Za-z_]\w*=/.test(rest[0].text)))
      rest = rest.slice(1);
    const [first] = rest;
    if (!first) return undefined;
    const name = baseName(first.text);
    if (!STARTERS.has(name)) return { name, args: rest.slice(1), asRoot, fed, made: first.made };
    asRoot ||= name === "sudo" || name === "doas";
    fed ||= name === "xargs" || name === "parallel";
    rest = rest.slice(1);
    // Options of the starter, with a value where they take one, and the time of `timeout`.
    while (rest[0]?.text.startsWith("-")) rest = rest.slice(TAKES_VALUE.test(rest[0].text) ? 2 : 1);
    if ((name === "timeout" || name === "watch") && /^\d/.test(rest[0]?.text ?? "")) rest = rest.slice(1);
  }
  return undefined;
}

const TAKES_VALUE = /^-(?:[ugnICLPEdsk]|-user|-group|-signal|-max-args|-replace|-adjustment)$/;

function scriptOf(words: readonly Word[]): Word | undefined {
  const run = called(words);
  if (!run || !SHELLS.has(run.name)) return undefined;
  const at = run.args.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text));
  return at < 0 ? undefined : run.args[at + 1];
}

function effectsOf(simple: Simple, before: Simple | undefined): CommandEffect[] {
  const run = called(simple.words);
  if (!run) return [];
  const effects: CommandEffect[] = run.asRoot ? [{ words: "runs as root", risk: "care" }] : [];
  if (run.made) return [...effects, { words: `runs whatever ${clip(run.name)} stands for`, risk: "danger" }];
  const own = OWN_EFFECTS[run.name];
  if (own) effects.push(...own(run, simple));
  else if (/^mkfs(?:\.|$)/.test(run.name)) effects.push({ words: "formats a disk", risk: "danger" });
  if (SHELLS.has(run.name) && scriptOf(simple.words) === undefined) {
    if (simple.piped) {
      const source = before && called(before.words);
      const host = source && FETCHERS.has(source.name) ? hostIn(source.args) : undefined;
      effects.push({
        words: host ? `runs code from ${host}` : "runs whatever comes out of the command before",
        risk: "danger",
        ...(host ? { network: true } : {}),
      });
    } else if (run.args.length > 0)
      effects.push({ words: `runs the script ${clip(plain(run.args)[0] ?? "")}`, risk: "care" });
  }
  return effects;
}

type Effects = (run: Called, simple: Simple) => CommandEffect[];

const danger = (words: string): CommandEffect => ({ words, risk: "danger" });
const care = (words: string): CommandEffect => ({ words, risk: "care" });
const deletes: Effects = (run) => [
  danger(run.fed ? "deletes what comes in" : `deletes ${targets(plain(run.args))}`),
];
const ofDisk: Effects = (run) => [danger(`changes the disk ${targets(plain(run.args))}`.trimEnd())];
const stops: Effects = () => [danger("stops programs")];
const turnsOff: Effects = () => [danger("turns this machine off")];
const runsCode: Effects = (run) =>
  run.args.some(({ text }) => /^-[A-Za-z]*[ceE]$/.test(text)) ? [care(`runs code given to ${run.name}`)] : [];
const connects: Effects = (run) => [
  {
    words: `connects to ${hostIn(run.args) ?? clip(plain(run.args)[0] ?? "another machine")}`,
    risk: "danger",
    network: true,
  },
];

const FETCHERS = new Set(["curl", "wget", "fetch", "http", "https", "xh"]);
const SENDS =
  /^(?:-F|--form(?:-string)?|-d|--data(?:-raw|-binary|-urlencode|-ascii)?|-T|--upload-file|--json|--post-data|--post-file|--body-data|--body-file)(?:=|$)|^-[a-zA-Z]*[FdT]$/;
const SENDS_JOINED = /^-[FdT]./;

const fetches: Effects = ({ args }) => {
  const host = hostIn(args) ?? "another machine";
  const texts = args.map(({ text }) => text);
  const method = texts.flatMap((text, i) =>
    text === "-X" || text === "--request" || text === "--method"
      ? [texts[i + 1] ?? ""]
      : (/^(?:-X|--request=|--method=)(.+)$/.exec(text)?.slice(1) ?? []),
  )[0];
  const sends =
    texts.some((text) => SENDS.test(text) || SENDS_JOINED.test(text)) ||
    (method !== undefined && !/^(?:GET|HEAD|OPTIONS)$/i.test(method));
  return sends
    ? [{ words: `uploads to ${host}`, risk: "danger", network: true }]
    : [{ words: `downloads from ${host}`, risk: "care", network: true }];
};

const copiesAway: Effects = (run) => {
  const words = plain(run.args);
  const away = words.at(-1) ?? "";
  const remote = /^(?:[\w.-]+@)?([\w.-]+):/.exec(away)?.[1] ?? /^rsync:\/\/([^/]+)/.exec(away)?.[1];
  const from = words.find((word) => /^(?:[\w.-]+@)?[\w.-]+:/.test(word));
  const gone = run.args.some(({ text }) => text.startsWith("--delete"))
    ? [danger(`deletes what is not there from ${clip(away)}`)]
    : [];
  if (remote) return [{ words: `uploads to ${clip(remote)}`, risk: "danger", network: true }, ...gone];
  if (from)
    return [{ words: `downloads from ${clip(from.split(":")[0]!)}`, risk: "care", network: true }, ...gone];
  return gone;
};

const git: Effects = ({ args }) => {
  const words = plain(args);
  const [command = "", ...rest] = words;
  const has = (...flags: string[]) => args.some(({ text }) => flags.includes(text));
  switch (command) {
    case "push": {
      const to = clip(rest[0] ?? "the remote");
      const forced = args.some(
        ({ text }) => /^(?:-f|--force.*|--delete|-d|--mirror)$/.test(text) || text.startsWith("+"),
      );
      return [
        { words: `uploads to ${to}`, risk: "danger", network: true },
        ...(forced ? [danger(`overwrites or deletes what ${to} has`)] : []),
      ];
    }
    case "clean":
      return [danger("deletes files that git does not know")];
    case "rm":
      return [danger(`deletes ${targets(rest)}`)];
    case "reset":
      return has("--hard") ? [danger("throws away changes")] : [];
    case "checkout":
      return has("--", "-f", "--force", ".") || rest.includes(".") ? [danger("throws away changes")] : [];
    case "restore":
    case "switch":
      return command === "restore" || has("-f", "--force", "--discard-changes")
        ? [danger("throws away changes")]
        : [];
    case "branch":
    case "tag":
      return has("-D", "-d", "--delete")
        ? [danger(`deletes ${command === "tag" ? "a tag" : "a branch"}`)]
        : [];
    case "stash":
      return rest[0] === "drop" || rest[0] === "clear" ? [danger("throws away stashed changes")] : [];
    case "filter-branch":
    case "filter-repo":
      return [danger("rewrites history")];
    case "clone":
    case "pull":
    case "fetch":
      return [{ words: `downloads from ${clip(rest[0] ?? "the remote")}`, risk: "care", network: true }];
    default:
      return [];
  }
};

const find: Effects = ({ args }) => {
  const where = clip(plain(args)[0] ?? ".");
  if (args.some(({ text }) => text === "-delete")) return [danger(`deletes what it finds in ${where}`)];
  const at = args.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text));
  if (at < 0) return [];
  const inside = args.slice(at + 1);
  const run = called(inside);
  const own = run && OWN_EFFECTS[run.name];
  if (run && /^(?:rm|unlink|shred|rmdir)$/.test(run.name))
    return [danger(`deletes what it finds in ${where}`)];
  return own && run
    ? own(run, { words: [...inside], redirects: [], start: 0, end: 0, piped: false })
    : [care(`runs ${clip(run?.name ?? "a program")} on what it finds`)];
};

const DATABASE_LOSS =
  /\b(?:drop\s+(?:table|database|schema|index|view)|delete\s+from|truncate(?:\s+table)?)\b/i;
const database: Effects = ({ args }) =>
  args.some(({ text }) => DATABASE_LOSS.test(text)) ? [danger("deletes from a database")] : [];

/** `docker rm`, `kubectl delete`: by the word that says what is done. */
const byVerb =
  (lost: RegExp, words: string): Effects =>
  ({ args }) =>
    plain(args).some((word) => lost.test(word)) ? [danger(words)] : [];

const publishes: Effects = ({ name, args }) => {
  const [command = ""] = plain(args);
  if (/^(?:publish|upload|unpublish|yank)$/.test(command))
    return [{ words: `publishes with ${name}`, risk: "danger", network: true }];
  if (/^(?:i|install|add|ci|update|upgrade)$/.test(command))
    return [{ words: "installs packages", risk: "care", network: true }];
  return /^(?:uninstall|remove|rm)$/.test(command) ? [care("removes packages")] : [];
};

const packages: Effects = ({ args }) => {
  const words = plain(args);
  if (
    words.some((word) => /^(?:remove|purge|autoremove|erase)$/.test(word)) ||
    args.some(({ text }) => text.startsWith("-R"))
  )
    return [danger("removes programs from this machine")];
  return words.some((word) => /^(?:install|upgrade|dist-upgrade|full-upgrade)$/.test(word))
    ? [{ words: "installs programs", risk: "care", network: true }]
    : [];
};

const OWN_EFFECTS: Readonly<Record<string, Effects>> = Object.assign(Object.create(null) as object, {
  rm: deletes,
  rmdir: deletes,
  unlink: deletes,
  shred: deletes,
  srm: deletes,
  trash: deletes,
  truncate: (run: Called) => [danger(`empties ${targets(plain(run.args))}`)],
  find,
  git,
  dd: ({ args }: Called) => {
    const to = args.find(({ text }) => text.startsWith("of="))?.text.slice(3);
    return to === undefined ? [] : [danger(`overwrites ${clip(to)}`)];
  },
  wipefs: ofDisk,
  fdisk: ofDisk,
  sgdisk: ofDisk,
  parted: ofDisk,
  blkdiscard: ofDisk,
  mkswap: ofDisk,
  curl: fetches,
  wget: fetches,
  fetch: fetches,
  http: fetches,
  https: fetches,
  xh: fetches,
  scp: copiesAway,
  rsync: copiesAway,
  sftp: connects,
  ssh: connects,
  nc: connects,
  ncat: connects,
  netcat: connects,
  telnet: connects,
  ftp: connects,
  socat: connects,
  eval: () => [danger("runs text that is only made when it runs")],
  source: (run: Called) => [care(`runs the script ${clip(plain(run.args)[0] ?? "")}`)],
  kill: stops,
  pkill: stops,
  killall: stops,
  shutdown: turnsOff,
  reboot: turnsOff,
  halt: turnsOff,
  poweroff: turnsOff,
  crontab: ({ args }: Called) =>
    args.some(({ text }) => text === "-r") ? [danger("deletes all planned commands")] : [],
  chmod: (run: Called) => [care(`changes who may use ${targets(plain(run.args).slice(1))}`)],
  chown: (run: Called) => [care(`changes whose ${targets(plain(run.args).slice(1))} is`)],
  mv: (run: Called) => {
    const words = plain(run.args);
    return [care(`moves ${targets(words.slice(0, -1))} to ${clip(words.at(-1) ?? "")}`)];
  },
  tee: (run: Called) =>
    run.args.some(({ text }) => /^-a|^--append/.test(text))
      ? []
      : [care(`overwrites ${targets(plain(run.args))}`)],
  sed: ({ args }: Called) =>
    args.some(({ text }) => /^-[a-zA-Z]*i|^--in-place/.test(text)) ? [care("changes files in place")] : [],
  python: runsCode,
  python3: runsCode,
  node: runsCode,
  perl: runsCode,
  ruby: runsCode,
  php: runsCode,
  psql: database,
  mysql: database,
  mariadb: database,
  sqlite3: database,
  dropdb: () => [danger("deletes a database")],
  docker: byVerb(/^(?:rm|rmi|prune|down|kill)$/, "deletes containers or their data"),
  podman: byVerb(/^(?:rm|rmi|prune|down|kill)$/, "deletes containers or their data"),
  kubectl: byVerb(/^(?:delete|drain)$/, "deletes from a cluster"),
  terraform: byVerb(/^(?:destroy|apply)$/, "changes or destroys what runs elsewhere"),
  aws: byVerb(/^(?:rm|rb|delete.*|terminate.*|cp|mv|sync|put.*)$/, "changes or deletes what lies elsewhere"),
  gh: byVerb(/^(?:delete|close|merge|create|comment)$/, "changes something on GitHub"),
  mail: () => [danger("sends mail")],
  sendmail: () => [danger("sends mail")],
  npm: publishes,
  pnpm: publishes,
  yarn: publishes,
  bun: publishes,
  pip: publishes,
  pip3: publishes,
  twine: publishes,
  cargo: publishes,
  gem: publishes,
  apt: packages,
  "apt-get": packages,
  dnf: packages,
  yum: packages,
  pacman: packages,
  brew: packages,
} satisfies Record<string, Effects>);

function redirectEffect({ sign, to }: Redirect): CommandEffect | undefined {
  if (!/>/.test(sign) || to === undefined || /^&?\d$|^-$/.test(to.text)) return undefined;
  if (sign.endsWith(">&") && /^\d+$/.test(to.text)) return undefined;
  if (/^\/dev\/(?:null|stdout|stderr|tty)$/.test(to.text)) return undefined;
  if (/^\/dev\/(?:sd|hd|vd|nvme|mmcblk|mem|kmem)/.test(to.text))
    return danger(`overwrites the disk ${clip(to.text)}`);
  if (/^\/dev\/(?:tcp|udp)\//.test(to.text))
    return { words: `connects to ${clip(to.text.split("/")[3] ?? "")}`, risk: "danger", network: true };
  return sign.includes(">>") ? care(`adds to ${clip(to.text)}`) : care(`overwrites ${clip(to.text)}`);
}

/** Words that are no options; all that follow `--` are none. */
function plain(words: readonly Word[]): string[] {
  const end = words.findIndex(({ text }) => text === "--");
  const before = end < 0 ? words : words.slice(0, end);
  const after = end < 0 ? [] : words.slice(end + 1);
  return [...before.filter(({ text }) => !text.startsWith("-") || text === "-"), ...after].map(
    ({ text }) => text,
  );
}

function targets(words: readonly string[]): string {
  if (words.length === 0) return "something";
  const named = words.slice(0, TARGETS_SHOWN).map(clip).join(", ");
  const more = words.length - TARGETS_SHOWN;
  return more > 0 ? `${named} and ${more} more` : named;
}

/** Long names keep both of their ends: what something is called stands at its end. */
function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= TARGET_CHARS
    ? line
    : `${line.slice(0, TARGET_CHARS / 2)}…${line.slice(-TARGET_CHARS / 2)}`;
}

function hostIn(args: readonly Word[]): string | undefined {
  for (const { text } of args) {
    const address = /^(?:--url=)?[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?([^/?#\s]+)/i.exec(text)?.[1];
    if (address !== undefined) return clip(address);
  }
  const bare = plain(args).find((word) => /^(?:[\w-]+@)?(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:\/|$)/i.test(word));
  return bare === undefined ? undefined : clip(bare.replace(/^[^@/]*@/, "").split("/")[0]!);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function uniqueEffects(marks: readonly Mark[]): CommandEffect[] {
  const seen = new Map<string, CommandEffect>();
  for (const { effect } of marks) if (!seen.has(effect.words)) seen.set(effect.words, effect);
  // What cannot be taken back is said first.
  return [...seen.values()].sort((a, b) => Number(b.risk === "danger") - Number(a.risk === "danger"));
}

/** The line cut where the marks begin and end; where two lie over each other, the worse one is shown. */
function partsOf(text: string, marks: readonly Mark[]): CommandPart[] {
  const cuts = new Set([0, text.length]);
  for (const { start, end } of marks) cuts.add(Math.max(0, start)).add(Math.min(text.length, end));
  const at = [...cuts].sort((a, b) => a - b);
  const parts: CommandPart[] = [];
  for (let i = 0; i + 1 < at.length; i++) {
    const [from, to] = [at[i]!, at[i + 1]!];
    const over = marks.filter(({ start, end }) => start <= from && end >= to);
    const risk = over.some(({ effect }) => effect.risk === "danger")
      ? "danger"
      : over.length > 0
        ? "care"
        : undefined;
    const piece = text.slice(from, to);
    const last = parts.at(-1);
    if (last && last.risk === risk) parts[parts.length - 1] = { ...last, text: last.text + piece };
    else parts.push(risk === undefined ? { text: piece } : { text: piece, risk });
  }
  return parts;
}
