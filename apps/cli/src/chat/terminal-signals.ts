/** Terminals cut or refuse longer ones. */
const CLIPBOARD_BYTES_MAX = 74_000;

/** Puts text into the clipboard of whoever sits at the terminal, also over ssh; undefined where it is too long. */
export function clipboardSequence(text: string): string | undefined {
  const encoded = Buffer.from(text).toString("base64");
  return encoded.length > CLIPBOARD_BYTES_MAX ? undefined : `\u001b]52;c;${encoded}\u0007`;
}

/** Terminals that show a notification for OSC 9; others might print it. */
const NOTIFYING = new Set(["iTerm.app", "WezTerm", "ghostty"]);

/** A bell, and with it a notification where the terminal is known to show one. */
export function notification(env: Readonly<Record<string, string | undefined>>, words: string): string {
  const shows = NOTIFYING.has(env["TERM_PROGRAM"] ?? "") && !env["TMUX"];
  return shows ? `\u0007\u001b]9;Elwood: ${words}\u0007` : "\u0007";
}
