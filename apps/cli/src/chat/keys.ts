import { readFile } from "node:fs/promises";
import { CHAT_WORDS as WORDS } from "./words.ts";

/**
 * Keys by what they do. The names are those of the keys file; `editor` names what the box itself
 * does with the key.
 */
export const KEY_ACTIONS = {
  send: { keys: ["enter"], what: WORDS.keys.send, editor: "tui.input.submit" },
  newLine: {
    keys: ["shift+enter", "alt+enter", "ctrl+j"],
    what: WORDS.keys.newLine,
    editor: "tui.input.newLine",
  },
  complete: { keys: ["tab"], what: WORDS.keys.complete, editor: "tui.input.tab" },
  deleteLineEnd: {
    keys: ["alt+k"],
    what: WORDS.keys.deleteLineEnd,
    editor: "tui.editor.deleteToLineEnd",
  },
  stop: { keys: ["escape"], what: WORDS.keys.stop },
  clear: { keys: ["ctrl+c"], what: WORDS.keys.clear },
  leave: { keys: ["ctrl+d"], what: WORDS.keys.leave },
  help: { keys: ["f1"], what: WORDS.keys.help },
  settings: { keys: ["f2"], what: WORDS.keys.settings },
  tools: { keys: ["f3"], what: WORDS.keys.tools },
  evidence: { keys: ["f4"], what: WORDS.keys.evidence },
  panes: { keys: ["f6"], what: WORDS.keys.panes },
  save: { keys: ["ctrl+s"], what: WORDS.keys.save },
  sessions: { keys: ["ctrl+o"], what: WORDS.keys.sessions },
  clearScreen: { keys: ["ctrl+k"], what: WORDS.keys.clearScreen },
  fold: { keys: ["ctrl+t"], what: WORDS.keys.fold },
  model: { keys: ["ctrl+l"], what: WORDS.keys.model },
  editor: { keys: ["ctrl+g"], what: WORDS.keys.editor },
  history: { keys: ["ctrl+r"], what: WORDS.keys.history },
  mode: { keys: ["shift+tab"], what: WORDS.keys.mode },
  copyCode: { keys: ["alt+c"], what: WORDS.keys.copyCode },
  openPicture: { keys: ["alt+o"], what: WORDS.keys.openPicture },
  pastePicture: { keys: ["ctrl+v", "alt+v"], what: WORDS.keys.pastePicture },
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
      problems: [WORDS.keysFile.unreadable(path, code)],
    };
  }
  if (text.length > KEYS_FILE_BYTES_MAX)
    return { keys: USUAL_KEYS, problems: [WORDS.keysFile.tooLong(path)] };
  return keysIn(text, path);
}

/** `action: key` or `action: [key, key]`; an empty list takes the action its keys. */
export async function keysIn(text: string, path: string): Promise<ReadKeys> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken) {
    const why = broken.message.split("\n")[0] ?? "";
    return { keys: USUAL_KEYS, problems: [WORDS.keysFile.noYaml(path, why)] };
  }
  const given: unknown = document.toJS();
  if (given === null || given === undefined) return { keys: USUAL_KEYS, problems: [] };
  if (typeof given !== "object" || Array.isArray(given))
    return {
      keys: USUAL_KEYS,
      problems: [WORDS.keysFile.noLines(path)],
    };
  const problems: string[] = [];
  const keys: Record<string, readonly string[]> = { ...USUAL_KEYS };
  for (const [action, value] of Object.entries(given)) {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = list.find((key) => typeof key !== "string" || !isKey(key));
    if (!Object.hasOwn(KEY_ACTIONS, action)) problems.push(WORDS.keysFile.noAction(path, action));
    else if (wrong !== undefined)
      problems.push(
        WORDS.keysFile.noKey(path, typeof wrong === "string" ? wrong : JSON.stringify(wrong), action),
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
      if (other !== undefined) found.push(WORDS.keysFile.twice(path, key, other, action));
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
