import type {
  ChannelConnection,
  ChannelContent,
  ChannelDefinition,
  EditRequest,
  RenderedMessage,
  SendOutcome,
  SendRequest,
} from "@elwood/core/channel/channel";

/** How a platform takes a request: it shows the message or not, and answers or not. */
export type Fate =
  | SendOutcome
  | { readonly kind: "shown-without-answer" }
  | { readonly kind: "process-dies" };

export interface ShownMessage {
  readonly messageId: string;
  readonly chat: string;
  text: string;
  buttons: readonly string[];
  readonly repeat: boolean;
  readonly fileBytes?: Uint8Array;
}

export const SCRIPTED_PACE = {
  editMs: { private: 1_500, group: 4_000 },
  typingMs: 4_000,
  streaming: "edit",
} as const;

/**
 * A chat service that lives in the test: it keeps what its chats show, and plays a fate for each
 * request, oldest first; without one it shows the message and confirms it.
 */
export class ScriptedChannel implements ChannelConnection {
  readonly account = { id: "1", name: "elwood_bot" };
  readonly shown: ShownMessage[] = [];
  readonly requests: (SendRequest | EditRequest)[] = [];
  readonly typed: string[] = [];
  readonly answers: string[] = [];
  readonly fates: Fate[] = [];
  readonly files = new Map<string, Uint8Array>();
  /** The longest message of this platform. */
  readonly charsMax: number;

  constructor(charsMax = 200) {
    this.charsMax = charsMax;
  }

  /** Texts of a chat, oldest first. */
  texts(chat: string): string[] {
    return this.shown.filter((each) => each.chat === chat).map(({ text }) => text);
  }

  render(content: ChannelContent): readonly RenderedMessage[] {
    const text = [content.markdown, content.footer ?? ""].filter((part) => part !== "").join("\n---\n");
    const pieces = text.match(new RegExp(`[^]{1,${this.charsMax}}`, "g")) ?? [text];
    const buttons = (content.buttons ?? []).flat().map((each) => ("data" in each ? each.data : each.url));
    const texts = pieces.map((piece, i) => ({
      text: piece,
      ...(i === pieces.length - 1 && buttons.length > 0 ? { form: { buttons } } : {}),
    }));
    return [...texts, ...(content.files ?? []).map((file) => ({ text: file.name, file }))];
  }

  async send(request: SendRequest): Promise<SendOutcome> {
    this.requests.push(request);
    const fate = this.fates.shift() ?? { kind: "shown" as const };
    const shows =
      fate.kind === "shown" || fate.kind === "shown-without-answer" || fate.kind === "process-dies";
    const messageId = `m${this.shown.length + 1}`;
    if (shows) {
      const { chat, message, repeat, fileBytes } = request;
      const text = repeat ? `(may be a repeat) ${message.text}` : message.text;
      this.shown.push({
        messageId,
        chat,
        text,
        buttons: buttonsOf(message),
        repeat,
        ...(fileBytes ? { fileBytes } : {}),
      });
    }
    if (fate.kind === "process-dies") return new Promise(() => undefined);
    if (fate.kind === "shown-without-answer") return { kind: "unknown", why: "No answer came." };
    return fate.kind === "shown" ? { kind: "sent", messageId } : fate;
  }

  async edit(request: EditRequest): Promise<SendOutcome> {
    this.requests.push(request);
    const fate = this.fates.shift();
    if (fate && fate.kind !== "shown-without-answer" && fate.kind !== "process-dies") return fate;
    const { chat, messageId, message } = request;
    const found = this.shown.find((each) => each.messageId === messageId && each.chat === chat);
    if (!found) return { kind: "missing", why: "There is no such message." };
    found.text = message.text;
    found.buttons = buttonsOf(message);
    return { kind: "sent", messageId };
  }

  async typing(chat: string): Promise<void> {
    this.typed.push(chat);
  }

  async answerPress(_press: unknown, words: string): Promise<void> {
    this.answers.push(words);
  }

  async fetchFile({ ref }: { readonly ref: string }) {
    const bytes = this.files.get(ref);
    return bytes ? ({ ok: true, bytes } as const) : ({ ok: false, problem: "is gone." } as const);
  }

  async close(): Promise<void> {}
}

/** The definition that goes with it. */
export const SCRIPTED_DEFINITION: Pick<ChannelDefinition, "name" | "title" | "pace" | "fileBytesMax"> = {
  name: "telegram",
  title: "Telegram",
  pace: SCRIPTED_PACE,
  fileBytesMax: { in: 20 * 1024 * 1024, out: 50 * 1024 * 1024 },
};

function buttonsOf({ form }: RenderedMessage): readonly string[] {
  const { buttons = [] } = (form ?? {}) as { buttons?: readonly string[] };
  return buttons;
}
