import { readFile } from "node:fs/promises";
import { CHAT_WORDS as WORDS } from "./words.ts";

/**
 * Keys by what they do. The names are those of the keys file; `editor` names what the box itself
 * does with the key.
 */
export const KEY_ACTIONS = {
  send: { keys: ["enter"], editor: "tui.input.submit" },
  newLine: {
    keys: ["shift+enter", "alt+enter", "ctrl+j"],
    editor: "tui.input.newLine",
  },
  complete: { keys: ["tab"], editor: "tui.input.tab" },
  deleteLineEnd: {
    keys: ["alt+k"],
    editor: "tui.editor.deleteToLineEnd",
  },
  stop: { keys: ["escape"] },
  clear: { keys: ["ctrl+c"] },
  leave: { keys: ["ctrl+d"] },
  help: { keys: ["f1"] },
  settings: { keys: ["f2"] },
  tools: { keys: ["f3"] },
  evidence: { keys: ["f4"] },
  panes: { keys: ["f6"] },
  save: { keys: ["ctrl+s"] },
  sessions: { keys: ["ctrl+o"] },
  clearScreen: { keys: ["ctrl+k"] },
  fold: { keys: ["ctrl+t"] },
  model: { keys: ["ctrl+l"] },
  editor: { keys: ["ctrl+g"] },
  history: { keys: ["ctrl+r"] },
  mode: { keys: ["shift+tab"] },
  copyCode: { keys: ["alt+c"] },
  openPicture: { keys: ["alt+o"] },
  pastePicture: { keys: ["ctrl+v", "alt+v"] },
} as const satisfies Record<string, KeyAction>;

interface KeyAction {
  readonly keys: readonly string[];
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
