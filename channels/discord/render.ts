import type { ChannelButton, ChannelContent, RenderedMessage } from "@elwood/sdk/channel/channel";
import { formatMarkdown } from "@elwood/sdk/channel/format-markdown";
import { plainText, sliceFormatted, type FormattedText, type Span } from "@elwood/sdk/channel/formatted-text";
import { splitMessage } from "@elwood/sdk/channel/split-message";
import { escapeText, toDiscord } from "./discord-markdown.ts";

/** Characters of a message. */
const CONTENT_CHARS_MAX = 2_000;
/** A reply that needs more messages comes as a file, with its beginning to read. */
const MESSAGES_MAX = 8;
/** A longer code block comes as a file. */
const CODE_CHARS_MAX = 1_900;
const FILES_MAX = 9;
const ROWS_MAX = 5;
const ROW_BUTTONS_MAX = 5;
const LABEL_CHARS_MAX = 80;

const STYLES = { plain: 2, good: 3, bad: 4, link: 5 } as const;

/** Before the data of a button that asks for a note. */
export const NOTE_PREFIX = "note:";

/** What is stored of a message until it is sent. */
export interface DiscordForm {
  readonly content: string;
  readonly components?: readonly DiscordRow[];
  readonly files?: readonly DiscordFile[];
}

export interface DiscordRow {
  readonly type: 1;
  readonly components: readonly DiscordButton[];
}

export type DiscordButton =
  | { readonly type: 2; readonly style: number; readonly label: string; readonly custom_id: string }
  | { readonly type: 2; readonly style: 5; readonly label: string; readonly url: string };

export interface DiscordFile {
  readonly name: string;
  readonly text: string;
}

/** A file as it is uploaded. */
export interface Upload {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** All that is uploaded with a message: long code, or the file that it is. */
export function uploadsOf(message: RenderedMessage, bytes?: Uint8Array): readonly Upload[] {
  const { file } = message;
  if (file) return bytes ? [{ name: file.name, mime: file.mime, bytes }] : [];
  const encoder = new TextEncoder();
  return (formOf(message).files ?? []).map(({ name, text }) => ({
    name,
    mime: "text/plain; charset=utf-8",
    bytes: encoder.encode(text),
  }));
}

/** Content as Discord's messages. Files that go out follow, each in a message of its own. */
export function renderContent(content: ChannelContent): readonly RenderedMessage[] {
  const files = (content.files ?? []).map((file) => ({ text: file.name, form: { content: "" }, file }));
  return [...renderText(content), ...files];
}

/** Buttons, footer and long code are with the last message. */
function renderText(content: ChannelContent): readonly RenderedMessage[] {
  const { text, files } = filesForLongCode(
    content.plain ? plainText(content.markdown) : formatMarkdown(content.markdown),
  );
  const parts = splitMessage(text, { limit: CONTENT_CHARS_MAX, measure: (part) => toDiscord(part).length });
  const shown = parts.length > MESSAGES_MAX ? parts.slice(0, MESSAGES_MAX - 1) : parts;
  const attached = shown === parts ? files : [{ name: "reply.md", text: content.markdown }];
  const messages = shown.map((part) => ({ text: part.text, content: toDiscord(part) }));
  if (shown !== parts) messages.push({ text: REST_ATTACHED, content: REST_ATTACHED });
  const { rows, links } = buttonsOf(content.buttons ?? []);
  const footer = [...links, ...(content.footer?.split("\n") ?? [])].filter((line) => line.trim() !== "");
  addFooter(messages, footer);
  return messages.map((message, i) => {
    const isLast = i === messages.length - 1;
    const form: DiscordForm = {
      content: message.content,
      ...(isLast && rows.length > 0 ? { components: rows } : {}),
      ...(isLast && attached.length > 0 ? { files: attached } : {}),
    };
    return { text: message.text, form };
  });
}

const REST_ATTACHED = "The whole reply is in the attached file.";

/** A message that was stored without a form says what it says, whatever signs are in it. */
export function formOf({ text, form }: RenderedMessage): DiscordForm {
  return isForm(form) ? form : { content: escapeText(text).slice(0, CONTENT_CHARS_MAX) };
}

function isForm(form: unknown): form is DiscordForm {
  return typeof form === "object" && form !== null && "content" in form && typeof form.content === "string";
}

function filesForLongCode(text: FormattedText): {
  readonly text: FormattedText;
  readonly files: readonly DiscordFile[];
} {
  const long = text.spans
    .filter((span) => span.kind === "pre" && span.end - span.start > CODE_CHARS_MAX)
    .slice(0, FILES_MAX);
  const files: DiscordFile[] = [];
  let rest = text;
  for (const code of long) {
    const name = `code-${files.length + 1}.${extensionOf(code)}`;
    const words = text.text.slice(code.start, code.end);
    files.push({ name, text: words });
    rest = replaceSpan(rest, words, `${name} (${words.split("\n").length} lines, attached)`);
  }
  return { text: rest, files };
}

/** Puts words in the place of the first block of code that has this text. */
function replaceSpan(text: FormattedText, code: string, words: string): FormattedText {
  const span = text.spans.find(
    (each) => each.kind === "pre" && text.text.slice(each.start, each.end) === code,
  );
  if (!span) return text;
  const before = sliceFormatted(text, 0, span.start);
  const after = sliceFormatted(text, span.end);
  const shift = span.start + words.length;
  return {
    text: before.text + words + after.text,
    spans: [
      ...before.spans,
      { kind: "italic", start: span.start, end: shift },
      ...after.spans.map((each) => ({ ...each, start: each.start + shift, end: each.end + shift })),
    ],
  };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  typescript: "ts",
  javascript: "js",
  python: "py",
  rust: "rs",
  shell: "sh",
  bash: "sh",
  markdown: "md",
  yaml: "yml",
  csharp: "cs",
  "c++": "cpp",
};

function extensionOf(span: Span): string {
  const language = (span.kind === "pre" ? span.language : undefined)?.toLowerCase() ?? "txt";
  const known = EXTENSIONS[language] ?? language;
  return /^[a-z0-9]{1,8}$/.test(known) ? known : "txt";
}

/** Small text under the last message, or in one of its own where it does not fit. */
function addFooter(messages: { text: string; content: string }[], lines: readonly string[]): void {
  if (lines.length === 0) return;
  const small = lines.map((line) => `-# ${escapeText(line)}`);
  const last = messages.at(-1);
  const size = small.join("\n").length;
  if (last && last.content.length + 1 + size <= CONTENT_CHARS_MAX) {
    last.content += `\n${small.join("\n")}`;
    last.text += `\n${lines.join("\n")}`;
    return;
  }
  let own: { text: string; content: string } | undefined;
  for (const [i, line] of small.entries()) {
    const cut = line.slice(0, CONTENT_CHARS_MAX);
    if (!own || own.content.length + 1 + cut.length > CONTENT_CHARS_MAX) {
      own = { text: lines[i] ?? "", content: cut };
      messages.push(own);
    } else {
      own.text += `\n${lines[i] ?? ""}`;
      own.content += `\n${cut}`;
    }
  }
}

/** Discord takes a link in a button only where everybody could follow it; others are written out. */
function buttonsOf(rows: readonly (readonly ChannelButton[])[]): {
  readonly rows: readonly DiscordRow[];
  readonly links: readonly string[];
} {
  const links: string[] = [];
  const made: DiscordRow[] = [];
  // There are five rows: where more are wanted, buttons stand side by side rather than not at all.
  for (const row of rows.length > ROWS_MAX ? [rows.flat()] : rows) {
    const buttons = row.flatMap((button): DiscordButton[] => {
      if ("data" in button) return [pressButton(button)];
      if (isPublic(button.url))
        return [{ type: 2, style: STYLES.link, label: label(button.words), url: button.url }];
      links.push(`${button.words}: ${button.url}`);
      return [];
    });
    for (let i = 0; i < buttons.length; i += ROW_BUTTONS_MAX)
      made.push({ type: 1, components: buttons.slice(i, i + ROW_BUTTONS_MAX) });
  }
  return { rows: made.slice(0, ROWS_MAX), links };
}

function pressButton(button: Extract<ChannelButton, { readonly data: string }>): DiscordButton {
  const custom = button.note === undefined ? button.data : `${NOTE_PREFIX}${button.data}`;
  return { type: 2, style: STYLES[button.tone ?? "plain"], label: label(button.words), custom_id: custom };
}

function label(words: string): string {
  return words.length <= LABEL_CHARS_MAX ? words : `${words.slice(0, LABEL_CHARS_MAX - 1)}…`;
}

function isPublic(address: string): boolean {
  if (!URL.canParse(address) || address.length > 512) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" && /\.[a-z]{2,}$/i.test(hostname) && !hostname.endsWith(".local");
}
