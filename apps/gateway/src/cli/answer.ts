import { failure, type Failure } from "@elwood/core/failure";
import { recalledWords } from "@elwood/core/memory/recalled";
import type { EventData } from "@elwood/core/protocol/events";
import { ruleOfTwoWords } from "@elwood/core/rule-of-two-words";
import { isPush, type Push } from "@elwood/sdk/client";
import { exitCodeOf } from "./failure-text.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";

export type Ending = { final: EventData<"chat.final"> } | { error: EventData<"chat.error"> };

/**
 * Puts an answer on the terminal as it comes, or once it is whole.
 *
 * An answer that begins anew (another try, another gateway) often says the same again:
 * what already stands there is not repeated, and only where the words differ is the new
 * answer written from its beginning, on a line of its own. Once a tool was called, what
 * the model writes is a draft until Elwood has held it against the receipts: a terminal
 * cannot take words back, so it waits for the reply itself.
 */
export class Answer {
  readonly #io: Io;
  readonly #options: { readonly stream: boolean; readonly json: boolean };
  /** What stands on standard output of the answer that counts. */
  #shown = "";
  /** The answer that counts, as far as it came; begins with #shown unless #shown is void. */
  #text = "";
  #acted = false;

  constructor(io: Io, options: { readonly stream: boolean; readonly json: boolean }) {
    this.#io = io;
    this.#options = options;
  }

  take(push: Push): void {
    if (isPush(push, "chat.delta")) this.#append(push.data.text, push.data.reset ?? false);
    else if (isPush(push, "tool.started")) this.#acted = true;
    else if (isPush(push, "chat.notice")) this.#note(push.data.message);
    else if (isPush(push, "tool.progress")) this.#note(`${push.data.tool}: ${push.data.message}`);
    else if (isPush(push, "run.queued")) this.#note(`Waiting: ${push.data.ahead} ahead in this session.`);
  }

  /** The answer begins anew, and stands at `text`; `acted` where calls were made for it already. */
  restart(text: string, acted = false): void {
    this.#acted ||= acted;
    this.#append(text, true);
  }

  finish(sessionKey: string, ending: Ending): number {
    if ("error" in ending) return this.#failed(sessionKey, ending.error);
    const { final } = ending;
    if (this.#options.json) {
      this.#io.stdout.write(`${JSON.stringify({ ...final, sessionKey })}\n`);
    } else {
      // The final text is the truth: whatever was streamed and differs is shown again, whole.
      if (final.text.trimEnd() !== this.#shown.trimEnd()) this.#show(final.text);
      if (this.#shown !== "" && !this.#shown.endsWith("\n")) this.#io.stdout.write("\n");
      if (final.aborted) this.#note("Stopped. What was written by then is kept.");
      if (final.note) this.#note(final.note);
      if (final.demo) {
        const connect = `${ownName(this.#io.env)} auth anthropic`;
        this.#note(`Demo model: scripted answers. Connect a real one with: ${connect}`);
      }
      this.#note(final.evidence);
      const together = final.ruleOfTwo && ruleOfTwoWords(final.ruleOfTwo);
      if (together !== undefined) this.#note(together);
      if (final.recalled) this.#note(recalledWords(final.recalled));
    }
    return final.aborted ? EXIT.interrupted : exitCodeFor(final.activity);
  }

  #failed(sessionKey: string, error: EventData<"chat.error">): number {
    // Its code comes from the closed list of reasons, which the protocol's schema holds it to.
    const reason = failure(error.code as Failure["reason"], error.message, { retryable: error.retryable });
    if (this.#options.json) {
      const { runId, text, evidence } = error;
      const document = { sessionKey, runId, text, evidence, error: { ...reason, code: reason.reason } };
      this.#io.stdout.write(`${JSON.stringify(document)}\n`);
    } else {
      if (error.text.trimEnd() !== this.#shown.trimEnd()) this.#show(error.text);
      if (this.#shown !== "") this.#io.stdout.write("\n");
      this.#note(error.message);
      this.#note(error.evidence);
    }
    return exitCodeOf(reason);
  }

  #append(text: string, anew: boolean): void {
    this.#text = anew ? text : this.#text + text;
    if (!this.#options.stream || this.#options.json || this.#acted) return;
    // Still repeating what stands there already.
    if (this.#shown.startsWith(this.#text)) return;
    this.#show(this.#text);
  }

  /** Brings the terminal to `text`: by its rest where it goes on from what stands there, else from its beginning. */
  #show(text: string): void {
    const goesOn = text.startsWith(this.#shown);
    if (!goesOn) this.#io.stdout.write("\n");
    this.#io.stdout.write(this.#safe(goesOn ? text.slice(this.#shown.length) : text));
    this.#shown = text;
  }

  /** A model's text must not move the cursor or recolour the owner's terminal; a file gets it as it is. */
  #safe(text: string): string {
    return this.#io.stdout.isTTY ? visibleText(text) : text;
  }

  #note(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }
}

/** A script can tell from the exit code that something it asked for was not done. */
function exitCodeFor(activity: readonly unknown[]): number {
  const statuses = activity.map((item) => (item as { status?: unknown }).status);
  if (statuses.includes("denied")) return EXIT.denied;
  return statuses.includes("expired") ? EXIT.expired : EXIT.ok;
}
