/** One thing that can be done from the keyboard, the palette or both. */
export interface Command {
  readonly id: string;
  readonly title: string;
  /** Headline in the palette and in the sheet of shortcuts. */
  readonly group: string;
  /** `mod+k` (Ctrl, or Cmd on a Mac), `g a` (one after the other), `?`. */
  readonly keys?: string;
  /** Only in the sheet of shortcuts: the key belongs to something that has the focus. */
  readonly local?: boolean;
  /** Whether it makes sense now; left out, always. */
  readonly when?: () => boolean;
  readonly run: () => void;
}

const SEQUENCE_MS_MAX = 1_200;
const LETTERS = "elwood.letters";
/** Opens the sheet of shortcuts whether letters are shortcuts or not: it says how to switch them on. */
const HELP = "?";

/** The one list of commands: keys, palette and sheet of shortcuts are drawn from it. */
export class Commands {
  readonly #commands = new Map<string, Command>();
  #first: { key: string; at: number } | undefined;
  #letters = lettersKept();

  /** Known until what is returned is called. */
  add(...commands: readonly Command[]): () => void {
    for (const command of commands) this.#commands.set(command.id, command);
    return () => {
      for (const { id } of commands) this.#commands.delete(id);
    };
  }

  /** Whether letters and signs alone are shortcuts. Off until it is switched on: what is typed goes into the message box. Kept for this browser. */
  get letters(): boolean {
    return this.#letters;
  }

  set letters(on: boolean) {
    this.#letters = on;
    try {
      localStorage.setItem(LETTERS, on ? "on" : "off");
    } catch {
      return; // storage is forbidden here: it holds until the page is left
    }
  }

  get all(): readonly Command[] {
    return [...this.#commands.values()];
  }

  listen(signal: AbortSignal): void {
    document.addEventListener("keydown", (event) => this.#pressed(event), { signal });
  }

  #pressed(event: KeyboardEvent): void {
    if (event.defaultPrevented || isComposing(event) || event.repeat) return;
    const key = nameOf(event);
    if (key === undefined) return;
    const typing = isTyping(event);
    if (typing && !key.startsWith("mod+")) return;
    if (key.length === 1 && key !== HELP && !this.#letters) return;
    // What lies over the page has the keys: Escape closes that, and stops no answer.
    if (document.querySelector("dialog[open], :popover-open") && !key.startsWith("mod+")) return;
    const now = performance.now();
    const first = this.#first;
    const sequence = first && now - first.at < SEQUENCE_MS_MAX ? `${first.key} ${key}` : key;
    this.#first = { key, at: now };
    const command = this.#find(sequence) ?? this.#find(key);
    if (!command) return;
    this.#first = undefined;
    event.preventDefault();
    command.run();
  }

  #find(keys: string): Command | undefined {
    return this.all.find((each) => each.keys === keys && !each.local && (each.when?.() ?? true));
  }
}

function lettersKept(): boolean {
  try {
    return localStorage.getItem(LETTERS) === "on";
  } catch {
    return false; // storage is forbidden here: nothing was chosen
  }
}

/** Whether keys belong to something that is being typed. */
export function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}

/** What Safari calls the key that ends a composed character; to it the composing is over by then. */
const OF_INPUT_METHOD = 229;

/** Whether the key belongs to an input method, such as the Enter that chooses a character. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === OF_INPUT_METHOD;
}

function nameOf(event: KeyboardEvent): string | undefined {
  if (event.altKey || event.key.length === 0) return undefined;
  const mod = event.ctrlKey || event.metaKey;
  // With Shift the key of the full stop writes something else, on each keyboard something different.
  const stop = mod && event.shiftKey && event.code === "Period";
  const key = stop ? "." : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (["Control", "Meta", "Shift"].includes(event.key)) return undefined;
  return mod ? `mod+${event.shiftKey ? "shift+" : ""}${key}` : key;
}

/** The keys as they are written on this keyboard. */
export function keyLabels(keys: string): readonly string[] {
  const mac = /mac/i.test(navigator.platform);
  const words: Readonly<Record<string, string>> = {
    mod: mac ? "⌘" : "Ctrl",
    shift: mac ? "⇧" : "Shift",
    alt: mac ? "⌥" : "Alt",
    Enter: "Enter",
    Escape: "Esc",
    ArrowUp: "↑",
    ArrowDown: "↓",
  };
  return keys.split(/[ +]/).map((key) => words[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}
