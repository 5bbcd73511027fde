import { systemClock } from "@elwood/platform/system";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { ActivityItem } from "@elwood/core/tool/activity";
import { failure, type Failure } from "@elwood/core/base/failure";
import { wrapWords } from "@elwood/core/base/wrap-words";
import { evidenceAsList, evidenceText, notDoneItems } from "@elwood/core/grounding/evidence";
import { replyLocale, type Locale } from "@elwood/core/request/language";
import { replyAsText } from "@elwood/core/grounding/render";
import { VOICE } from "@elwood/core/grounding/reserved";
import { notVerifiedText, WORDING } from "@elwood/core/grounding/wording";
import { recalledWords } from "@elwood/core/memory/recalled";
import type { ReplySegment } from "@elwood/core/message/message";
import type { EventData } from "@elwood/core/protocol/events";
import { isPush, type Push } from "@elwood/sdk/client";
import type { RunEnding, Turn } from "@elwood/sdk/view-state/turn";
import { exitCodeOf } from "./failure-text.ts";
import { EXIT, ownName, useColor, type Io } from "./io.ts";
import { paintFor } from "./paint.ts";
import { TerminalMarkdown } from "./terminal-markdown.ts";
import { visibleText } from "./terminal-text.ts";
import { deedText, failureText, gatewayText, say } from "./words/say.ts";

export interface AnswerOptions {
  readonly stream: boolean;
  readonly json: boolean;
  /** What was sent, for the command that sends it again; absent where it came along through a pipe. */
  readonly prompt?: string;
  /** The model that was asked, where not the usual one. */
  readonly model?: string;
  readonly clock?: Pick<Clock, "now">;
  /** Where it was said before that the demo answers, it is not said again below each answer. */
  readonly demoTold?: boolean;
}

/**
 * Puts an answer on the terminal.
 *
 * A person sees it as it is written, once, in lines that break between words and with Markdown
 * drawn where the terminal can, and what Elwood has to say about it below. A pipe
 * gets the answer when it has been compared with the receipts, with each mark behind the sentence
 * it belongs to, and nothing before. An answer that begins again (another try, another gateway)
 * often says the same again: what already stands there is not repeated.
 */
export class Answer {
  readonly #io: Io;
  readonly #options: AnswerOptions;
  /** What stands on standard output of the answer that counts. */
  #shown = "";
  #terminal: TerminalMarkdown | undefined;

  constructor(io: Io, options: AnswerOptions) {
    this.#io = io;
    this.#options = options;
  }

  /** Tells of a push that the turn has taken. */
  take(push: Push, turn: Turn): void {
    if (isPush(push, "chat.delta")) this.show(turn);
    else if (isPush(push, "chat.notice")) {
      this.#breakLine();
      this.#note(gatewayText(this.#io, push.data.message));
    } else if (isPush(push, "tool.progress"))
      this.#note(`${deedText(this.#io, push.data.tool, "doing")}: ${push.data.message}`);
    else if (isPush(push, "run.queued"))
      this.#note(say(this.#io, "Waiting: {0} ahead in this session.", push.data.ahead));
  }

  /** Something else is about to be written: what is held back of the answer comes before it. */
  flush(): void {
    this.#terminal?.flush();
  }

  finish(sessionKey: string, ending: RunEnding): number {
    if ("error" in ending) return this.#failed(sessionKey, ending.error);
    const { final } = ending;
    if (this.#options.json) {
      this.#io.stdout.write(`${JSON.stringify({ ...final, sessionKey })}\n`);
    } else {
      this.#reply(final.text, final.segments);
      if (final.aborted) this.#note(say(this.#io, "Stopped. What was written by then is kept."));
      if (final.note) this.#note(gatewayText(this.#io, final.note));
      if (final.demo && !this.#options.demoTold) {
        const connect = `${ownName(this.#io.env)} auth anthropic`;
        this.#note(say(this.#io, "Demo model: scripted answers. Connect a real one with: {0}", connect));
      }
      this.#evidence(final);
      const used = (final.recalled ?? []).filter((item) => item.used);
      if (used.length > 0) this.#note(recalledWords(used, (this.#options.clock ?? systemClock).now()));
    }
    return final.aborted ? EXIT.interrupted : exitCodeFor(final.activity);
  }

  #failed(sessionKey: string, error: EventData<"chat.error">): number {
    // Its code comes from the closed list of reasons, which the protocol's schema holds it to.
    const reason = failure(error.code as Failure["reason"], error.message, {
      retryable: error.retryable,
      ...(error.said === undefined ? {} : { said: error.said }),
    });
    if (this.#options.json) {
      const { runId, text, segments, evidence } = error;
      const document = {
        sessionKey,
        runId,
        text,
        segments,
        evidence,
        error: { ...reason, code: reason.reason },
      };
      this.#io.stdout.write(`${JSON.stringify(document)}\n`);
    } else {
      this.#reply(error.text, error.segments ?? []);
      this.#note(failureText(this.#io, reason));
      if (error.said !== undefined) this.#note(say(this.#io, "The provider said: “{0}”", error.said));
      if (error.evidence !== "") this.#note(error.evidence);
      if (error.retryable || /\b(?:try again|another model)\b/i.test(error.message))
        // Not broken by us: a terminal's own break is not copied with the command.
        this.#io.stderr.write(
          `${say(this.#io, "Send it again with: {0}", visibleText(this.#againCommand(sessionKey)))}\n`,
        );
    }
    return exitCodeOf(reason);
  }

  /** The message is kept in its session, and goes on from there. */
  #againCommand(sessionKey: string): string {
    const { prompt, model } = this.#options;
    const words =
      prompt === undefined || prompt.length > AGAIN_CHARS_MAX || prompt.includes("\n")
        ? '"…"'
        : `'${prompt.replaceAll("'", String.raw`'\''`)}'`;
    const asked = model === undefined ? "" : `-m ${model} `;
    return `${ownName(this.#io.env)} -s ${sessionKey.slice(-SHORT_KEY_CHARS)} ${asked}${words}`;
  }

  /** The whole reply, or below what was streamed of it, only what Elwood adds. */
  #reply(text: string, segments: readonly ReplySegment[]): void {
    const locale = replyLocale(text);
    const streamed = this.#shown !== "" && sameWords(this.#shown, text);
    if (!streamed) {
      const whole = replyAsText(segments, locale);
      this.#endPart();
      if (this.#shown !== "" && !this.#shown.endsWith("\n")) this.#io.stdout.write("\n");
      if (whole !== "") this.#write(`${whole}\n`);
      this.#endPart();
      this.#explain(segments, locale);
      return;
    }
    this.#endPart();
    if (!this.#shown.endsWith("\n")) this.#io.stdout.write("\n");
    const marked = segments.filter(({ verified }) => verified === "unsupported");
    for (const { text: sentence, why } of marked)
      this.#line(`${VOICE} ${notVerifiedText(why, locale)}: “${oneLine(sentence)}”`);
    for (const { text: own } of segments.filter(({ by }) => by === "gateway")) this.#line(own);
  }

  /** What the signs behind its sentences mean, where that is not plain. */
  #explain(segments: readonly ReplySegment[], locale: Locale): void {
    const cites = segments.flatMap(({ verified, cites: own = [] }) =>
      verified === "unmatched" ? [`[${own.join(" ")}]`] : [],
    );
    if (cites.length > 0) this.#note(WORDING[locale].citedOnly([...new Set(cites)].join(", ")));
  }

  /** What the receipts say: on a terminal several of a kind below each other. */
  #evidence({ evidence, activity, segments, text }: EventData<"chat.final">): void {
    if (evidence === "") return;
    const marked = segments.filter(({ verified }) => verified === "unsupported").length;
    const locale = replyLocale(text);
    const same = evidenceText(activity, marked, locale) === evidence;
    const long = this.#io.stderr.isTTY === true && evidence.length > columnsOf(this.#io.stderr);
    this.#note(same && long ? evidenceAsList(activity, marked, locale).join("\n") : evidence);
  }

  /** The answer as far as it is written. */
  show({ written }: Turn): void {
    if (!this.#options.stream || this.#options.json || !this.#io.stdout.isTTY) return;
    // Still repeating what stands there already.
    if (this.#shown.startsWith(written)) return;
    const goesOn = written.startsWith(this.#shown);
    if (!goesOn) {
      this.#endPart();
      this.#io.stdout.write("\n");
    }
    const from = goesOn ? this.#shown.length : samePart(this.#shown, written);
    this.#write(written.slice(from));
    this.#shown = written;
  }

  /** A model's text must not move the cursor or recolour the owner's terminal. For a pipe that is seen to where all commands write. */
  #write(text: string): void {
    const { stdout } = this.#io;
    if (stdout.isTTY !== true) {
      stdout.write(text);
      return;
    }
    this.#terminal ??= new TerminalMarkdown((piece) => piece !== "" && stdout.write(piece), {
      columns: columnsOf(stdout),
      paint: useColor(this.#io) ? paintFor(this.#io) : undefined,
    });
    this.#terminal.write(visibleText(text));
  }

  /** A line that was cut short ends here; what comes next says it again from its beginning. */
  #breakLine(): void {
    if (this.#shown === "" || this.#shown.endsWith("\n")) return;
    this.#endPart();
    this.#io.stdout.write("\n");
    this.#shown = this.#shown.slice(0, this.#shown.lastIndexOf("\n") + 1);
  }

  /** What comes next begins on a line of its own. */
  #endPart(): void {
    this.#terminal?.end();
    this.#terminal = undefined;
  }

  /** A line of Elwood's own, which names what models and tools said. */
  #line(text: string): void {
    const { stdout } = this.#io;
    stdout.write(stdout.isTTY ? `${wrapped(visibleText(text), columnsOf(stdout))}\n` : `${text}\n`);
  }

  #note(text: string): void {
    const { stderr } = this.#io;
    stderr.write(stderr.isTTY ? `${wrapped(visibleText(text), columnsOf(stderr))}\n` : `${text}\n`);
  }
}

/** A longer message is not repeated. */
const AGAIN_CHARS_MAX = 200;
const SHORT_KEY_CHARS = 8;

function columnsOf({ columns = 80 }: Io["stdout"]): number {
  return columns;
}

function wrapped(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((line) => wrapWords(line, columns))
    .join("\n");
}

/** Where the first paragraph begins that two answers do not share: a later lap goes on from what an earlier one said. */
function samePart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const end = b.slice(0, at + 1).lastIndexOf("\n\n");
  return end < 0 ? 0 : end + "\n\n".length;
}

/** Apart from white space, and from what a citation or a glyph in code looked like while it was written. */
function sameWords(a: string, b: string): boolean {
  const words = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");
  return words(a) === words(b);
}

const SENTENCE_CHARS_MAX = 160;

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > SENTENCE_CHARS_MAX ? `${line.slice(0, SENTENCE_CHARS_MAX - 1)}…` : line;
}

/** A script can tell from the exit code that something it asked for is not done in the end. */
function exitCodeFor(activity: readonly ActivityItem[]): number {
  const ways = notDoneItems(activity).map(({ way }) => way);
  if (ways.some((way) => way === "denied" || way === "blocked" || way === "failed")) return EXIT.denied;
  return ways.includes("expired") ? EXIT.expired : EXIT.ok;
}
