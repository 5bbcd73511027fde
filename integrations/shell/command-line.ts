/**
 * Reads a command line without a shell.
 *
 * C1 Where it answers with an argv, bash would have made the very same words of that line.
 * C2 Whatever could mean something to a shell beside words and quotes is not understood here,
 *    on purpose: the line is then one for a shell, and such lines are asked about every time.
 *
 * When in doubt it is a line for a shell. That costs a question; the other mistake would
 * run something that nobody was shown.
 */
export type CommandLine =
  | { readonly kind: "argv"; readonly argv: readonly string[] }
  | { readonly kind: "shell"; readonly because: string };

export function parseCommandLine(line: string): CommandLine {
  if (UNSEEN.test(line)) return shell("a line break or a character that cannot be seen");
  const words: Word[] = [];
  let word: Word | undefined;
  let i = 0;
  while (i < line.length) {
    const character = line[i]!;
    if (character === " " || character === "\t") {
      if (word) words.push(word);
      word = undefined;
      i += 1;
      continue;
    }
    word ??= { text: "", quoted: false, assigns: false };
    const step = take(line, i, word);
    if (typeof step === "string") return shell(step);
    if (words.length === 0 && step.plain === "=") word.assigns = true;
    word.text += step.text;
    word.quoted ||= step.plain === undefined;
    i = step.next;
  }
  if (word) words.push(word);
  const [first] = words;
  if (first === undefined) return { kind: "argv", argv: [] };
  const because = firstWordProblem(first);
  return because === undefined ? { kind: "argv", argv: words.map(({ text }) => text) } : shell(because);
}

/** Whether a word holds something that a shell would read as more than a word. To us it is just text. */
export function looksLikeSyntax(word: string): boolean {
  return SYNTAX.test(word) || word.startsWith("~") || UNSEEN.test(word);
}

interface Word {
  text: string;
  quoted: boolean;
  assigns: boolean;
}

interface Step {
  readonly text: string;
  readonly next: number;
  /** The character itself, where it stood there without quotes. */
  readonly plain?: string;
}

/** Control characters, line breaks, what has no width or turns direction, half characters, blanks that are no space. */
const UNSEEN = /(?!\t)[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const PLAIN = /[A-Za-z0-9_./:@%+,=^~-]|[^\u0000-\u007f]/;
const SYNTAX = /[|&;<>()$`*?[\]{}!#\\\n\r]/;

/** The next piece of a word, or why this line needs a shell. */
function take(line: string, at: number, word: Word): Step | string {
  const character = line[at]!;
  if (character === "'") {
    const end = line.indexOf("'", at + 1);
    return end < 0 ? "a quote that is never closed" : { text: line.slice(at + 1, end), next: end + 1 };
  }
  if (character === '"') return takeDoubleQuoted(line, at + 1);
  if (character === "\\") {
    const next = line[at + 1];
    if (next === undefined) return "a backslash at its end";
    return next === "\t" ? "a backslash before a tab" : { text: next, next: at + 2 };
  }
  if (!PLAIN.test(character)) return `“${character}”`;
  if (character === "~" && (word.text === "" || /[=:]$/.test(word.text))) {
    return "a ~ that stands for a folder";
  }
  return { text: character, next: at + 1, plain: character };
}

function takeDoubleQuoted(line: string, start: number): Step | string {
  let text = "";
  for (let i = start; i < line.length; i++) {
    const character = line[i]!;
    if (character === '"') return { text, next: i + 1 };
    if (character === "$" || character === "`") return `“${character}” inside double quotes`;
    const next = line[i + 1];
    if (character === "\\" && next !== undefined && '$`"\\'.includes(next)) {
      text += next;
      i += 1;
    } else text += character;
  }
  return "a quote that is never closed";
}

/** Words that a shell takes for itself where a command is expected. */
const RESERVED = new Set(
  "if then else elif fi case esac for select while until do done in function time coproc".split(" "),
);
/** Commands that only a shell has: they change the shell itself, or run others. */
const SHELL_COMMANDS = new Set(
  ". : alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

function firstWordProblem({ text, quoted, assigns }: Word): string | undefined {
  if (assigns) return "a variable set before the command";
  if (SHELL_COMMANDS.has(text)) return `"${text}", which only a shell can do`;
  if (!quoted && RESERVED.has(text)) return `the shell's word "${text}"`;
  return text.startsWith("%") ? "a job of a shell" : undefined;
}

function shell(because: string): CommandLine {
  return { kind: "shell", because };
}
