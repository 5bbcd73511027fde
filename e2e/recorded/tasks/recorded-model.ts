import { chat, type ChatCall } from "@elwood/testkit/chat-wire";
import type { Answer, Exchange } from "@elwood/testkit/loopback-server";
import { CHAT_ROUTE, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import type { OwnerTask, TaskLap } from "./owner-task.ts";

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** What a model was given to read. */
export interface Given {
  readonly laps: number;
  readonly chars: number;
  readonly recalled: boolean;
}

/**
 * A loopback model that answers as the recorded one did, lap by lap. What it once answered to trouble
 * that does not come up any more is left out. It counts what it is given to read.
 */
export class RecordedModel {
  readonly server: OpenaiServer;
  #laps: readonly TaskLap[] = [];
  #place: (text: string) => string = (text) => text;
  #asked = 0;
  #chars = 0;
  #recalled = false;

  protected constructor(server: OpenaiServer) {
    this.server = server;
    server.always(CHAT_ROUTE, (exchange) => this.answer(exchange));
  }

  static async start(): Promise<RecordedModel> {
    return new RecordedModel(await RecordedModel.serve());
  }

  protected static serve(): Promise<OpenaiServer> {
    return startOpenai({ check: () => undefined });
  }

  begin({ laps }: OwnerTask, place: (text: string) => string): void {
    this.#laps = laps;
    this.#place = place;
    this.#asked = 0;
    this.#chars = 0;
    this.#recalled = false;
  }

  /** What it was given since it began; memory is what came beside the owner's last message. */
  get given(): Given {
    return { laps: this.#asked, chars: this.#chars, recalled: this.#recalled };
  }

  protected async answer(exchange: Exchange): Promise<void> {
    await this.#asRecorded(exchange)(exchange);
  }

  /** Counts a request, and gives what is new in it. */
  protected read({ request }: Exchange): string {
    const { messages } = request.body as { messages: readonly ChatMessage[] };
    this.#asked += 1;
    this.#chars += JSON.stringify(request.body).length;
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
    const news = since.map(textOf).join("\n");
    if (this.#asked === 1) this.#recalled = news.includes('<data origin="recalled">');
    return news;
  }

  #asRecorded(exchange: Exchange): Answer {
    const { messages } = exchange.request.body as { messages: readonly ChatMessage[] };
    const news = this.read(exchange);
    const [lap = ENOUGH, ...rest] = this.#laps.slice(this.#skipped(news));
    this.#laps = rest;
    const text = this.#place(recited(lap.text ?? "", messages));
    if (!lap.calls) return text === "" ? chat.message({}) : chat.reply(text);
    return chat.tools(
      lap.calls.map((call) => this.#callOf(call)),
      text === "" ? {} : { text },
    );
  }

  /** How many of the next answers are to trouble that is not there. */
  #skipped(news: string): number {
    const trouble = news.includes("has mistakes")
      ? "mistakes"
      : news.includes("[Elwood, not the owner] Your answer above")
        ? "repair"
        : undefined;
    const next = this.#laps.findIndex(({ after }) => after === undefined || after === trouble);
    return next < 0 ? this.#laps.length : next;
  }

  #callOf({ name, input }: { readonly name: string; readonly input: unknown }): ChatCall {
    return typeof input === "string"
      ? { name, json: this.#place(input) }
      : { name, input: JSON.parse(this.#place(JSON.stringify(input))) as unknown };
  }
}

/** Where it was asked once more than was written down. */
const ENOUGH: TaskLap = { text: "That is all." };

function textOf({ content }: ChatMessage): string {
  return typeof content === "string" ? content : (JSON.stringify(content) ?? "");
}

/**
 * Calls may have had other numbers when the answer was written. Where one that it cites is not there,
 * its citations become those of as many of the last calls: of its own, or, where it cites more, of
 * those that its programs made too.
 */
function recited(text: string, messages: readonly ChatMessage[]): string {
  const cited = [...new Set(text.match(/\[c\d+\]/g))].toSorted((a, b) => numberIn(a) - numberIn(b));
  if (cited.length === 0) return text;
  const results = messages.map(textOf).join("\n");
  const own = [...new Set([...results.matchAll(/^\[c(\d+) /gm)].map(([, n]) => Number(n)))];
  const all = [...new Set([...results.matchAll(/^\[c(\d+)[ \]]/gm)].map(([, n]) => Number(n)))];
  if (cited.every((cite) => all.includes(numberIn(cite)))) return text;
  const numbers = (own.length >= cited.length ? own : all).toSorted((a, b) => a - b).slice(-cited.length);
  return text.replace(/\[c\d+\]/g, (cite) => `[c${numbers[cited.indexOf(cite)] ?? numberIn(cite)}]`);
}

function numberIn(cite: string): number {
  return Number(cite.slice(2, -1));
}
