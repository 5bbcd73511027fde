import { readFile } from "node:fs/promises";

/**
 * Keys by what they do. The names are those of the keys file; `editor` names what the box itself
 * does with the key.
 */
export const KEY_ACTIONS = {
  send: { keys: ["enter"], what: "send", editor: "tui.input.submit" },
  newLine: { keys: ["shift+enter", "alt+enter", "ctrl+j"], what: "new line", editor: "tui.input.newLine" },
  complete: { keys: ["tab"], what: "complete; next pane where there are panes", editor: "tui.input.tab" },
  deleteLineEnd: {
    keys: ["alt+k"],
    what: "delete to the end of the line",
    editor: "tui.editor.deleteToLineEnd",
  },
  stop: { keys: ["escape"], what: "stop the answer; twice in an empty box: edit an earlier message" },
  clear: { keys: ["ctrl+c"], what: "clear the box, twice to leave" },
  leave: { keys: ["ctrl+d"], what: "leave, where the box is empty" },
  help: { keys: ["f1"], what: "commands and keys" },
  settings: { keys: ["f2"], what: "settings of this conversation" },
  tools: { keys: ["f3"], what: "tools" },
  evidence: { keys: ["f4"], what: "the calls of the last answer" },
  panes: { keys: ["f6"], what: "panes on or off" },
  save: { keys: ["ctrl+s"], what: "give this conversation a title" },
  sessions: { keys: ["ctrl+o"], what: "conversations" },
  clearScreen: { keys: ["ctrl+k"], what: "an empty screen; what was said stays above it" },
  fold: { keys: ["ctrl+t"], what: "unfold calls and thinking, or fold them" },
  model: { keys: ["ctrl+l"], what: "models" },
  editor: { keys: ["ctrl+g"], what: "write in your editor" },
  history: { keys: ["ctrl+r"], what: "search what you sent before" },
  mode: { keys: ["shift+tab"], what: "ask more before acting; asking less is confirmed" },
  copyCode: { keys: ["alt+c"], what: "copy the last block of code" },
  openPicture: { keys: ["alt+o"], what: "open the last picture" },
  pastePicture: { keys: ["ctrl+v", "alt+v"], what: "attach the picture in the clipboard" },
} as const satisfies Record<string, KeyAction>;

interface KeyAction {
  readonly keys: readonly string[];
  readonly what: string;
  readonly editor?: string;
}

export type ActionName = keyof typeof KEY_ACTIONS;
export type KeyTable = Readonly<Record<ActionName, readonly string[]>>;

export interface ReadKeys {
  readonly keys: KeyTable;
  /** What of the file cannot be used; the usual keys count there. */
  readonly problems: readonly string[];
}

const KEYS_FILE_BYTES_MAX = 100_000;

/** The keys as the owner's file sets them; where there is none, the usual ones. */
export async function readKeys(path: string): Promise<ReadKeys> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
    if (code === "ENOENT") return { keys: USUAL_KEYS, problems: [] };
    if (code === undefined) throw cause;
    return {
      keys: USUAL_KEYS,
      problems: [`${path} cannot be read (${code}). The usual keys count.`],
    };
  }
  if (text.length > KEYS_FILE_BYTES_MAX)
    return { keys: USUAL_KEYS, problems: [`${path} is too long to be a keys file. The usual keys count.`] };
  return keysIn(text, path);
}

/** `action: key` or `action: [key, key]`; an empty list takes the action its keys. */
export async function keysIn(text: string, path: string): Promise<ReadKeys> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken) {
    const why = broken.message.split("\n")[0] ?? "";
    return { keys: USUAL_KEYS, problems: [`${path} is not valid YAML: ${why} The usual keys count.`] };
  }
  const given: unknown = document.toJS();
  if (given === null || given === undefined) return { keys: USUAL_KEYS, problems: [] };
  if (typeof given !== "object" || Array.isArray(given))
    return {
      keys: USUAL_KEYS,
      problems: [`${path} must have lines such as “sessions: ctrl+o”. The usual keys count.`],
    };
  const problems: string[] = [];
  const keys: Record<string, readonly string[]> = { ...USUAL_KEYS };
  for (const [action, value] of Object.entries(given)) {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = list.find((key) => typeof key !== "string" || !isKey(key));
    if (!Object.hasOwn(KEY_ACTIONS, action))
      problems.push(`${path}: there is no action “${action}”. /help lists those there are.`);
    else if (wrong !== undefined)
      problems.push(
        `${path}: “${typeof wrong === "string" ? wrong : JSON.stringify(wrong)}” of ${action} is no key. Write it like ctrl+o, alt+enter or f2.`,
      );
    else keys[action] = list.map((key) => String(key).toLowerCase());
  }
  const table = keys as KeyTable;
  return { keys: table, problems: [...problems, ...doubled(table, path)] };
}

export const USUAL_KEYS: KeyTable = Object.fromEntries(
  Object.entries(KEY_ACTIONS).map(([action, { keys }]) => [action, keys]),
) as unknown as KeyTable;

function doubled(keys: KeyTable, path: string): string[] {
  const owner = new Map<string, string>();
  const found: string[] = [];
  for (const [action, list] of Object.entries(keys)) {
    for (const key of list) {
      const other = owner.get(key);
      if (other !== undefined)
        found.push(`${path}: ${key} is both ${other} and ${action}; the first counts.`);
      else owner.set(key, action);
    }
  }
  return found;
}

const MODIFIERS = new Set(["ctrl", "alt", "shift", "super"]);
const NAMED = new Set([
  "enter",
  "escape",
  "tab",
  "space",
  "backspace",
  "delete",
  "insert",
  "home",
  "end",
  "pageup",
  "pagedown",
  "up",
  "down",
  "left",
  "right",
  ...Array.from({ length: 12 }, (_, i) => `f${i + 1}`),
]);

function isKey(text: string): boolean {
  const parts = text.toLowerCase().split("+");
  const key = parts.pop() ?? "";
  if (!parts.every((part) => MODIFIERS.has(part))) return false;
  // A plain letter or digit is typed into the box.
  return NAMED.has(key) || (/^[!-~]$/.test(key) && parts.some((part) => part !== "shift"));
}

/** As it is shown to people: `Ctrl+O`. */
export function keyInWords(key: string): string {
  return key
    .split("+")
    .map((part) => (part === "escape" ? "Esc" : part.charAt(0).toUpperCase() + part.slice(1)))
    .join("+");
}
