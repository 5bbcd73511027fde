import { createInterface } from "node:readline/promises";
import { FailureError } from "@elwood/core/failure";
import type { EventData } from "@elwood/core/protocol/events";
import { isPush, type GatewayClient, type Push } from "@elwood/sdk/client";
import { canAsk, confirm, typed } from "./confirm.ts";
import { ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";

/**
 * What waits for the owner while a one-shot command runs. Somebody at the terminal is
 * asked right there; where nobody is, it says how to decide from elsewhere, and waits.
 * Questions come one after another.
 */
export class OwnerPrompt {
  readonly #io: Io;
  readonly #client: GatewayClient;
  #asking: Promise<void> = Promise.resolve();

  constructor(io: Io, client: GatewayClient) {
    this.#io = io;
    this.#client = client;
  }

  /** True where the push was a question, or its end. */
  take(push: Push, runId: string | undefined): boolean {
    if (isPush(push, "exec.approval_request")) {
      const { data } = push;
      if (data.runId === runId) this.#next(() => this.#approval(data));
      return true;
    }
    if (isPush(push, "owner.question")) {
      const { data } = push;
      if (data.runId === runId) this.#next(() => this.#question(data));
      return true;
    }
    return isPush(push, "exec.approval_resolved");
  }

  #next(ask: () => Promise<void>): void {
    this.#asking = this.#asking.then(ask).catch((error: unknown) => {
      if (!(error instanceof FailureError)) throw error;
      this.#say(error.failure.message);
    });
  }

  async #approval(asked: ApprovalAsked): Promise<void> {
    const { approvalId, summary, toolName, risk, reason, details, showable, plan, confirm: word } = asked;
    const read = asked.sources.length === 0 ? "" : `\n  Read before: ${asked.sources.join(", ")}`;
    this.#say(
      `\n${summary}\n  ${toolName} (${risk}). ${reason}${read}\n${indented(JSON.stringify(details, null, 2))}`,
    );
    for (const [i, item] of (plan ?? []).entries())
      this.#say(
        `  ${i + 1}. ${item.summary}\n     ${item.toolId} (${item.risk}) ${JSON.stringify(item.input)}`,
      );
    if (!canAsk(this.#io) || !showable) {
      const self = ownName(this.#io.env);
      const id = approvalId.slice(-8);
      this.#say(
        `Waiting for you: ${self} approvals show ${id}, then ${self} approvals allow ${id} or deny ${id}`,
      );
      return;
    }
    const allowed =
      word === undefined
        ? await confirm(this.#io, "Allow this once?")
        : await typed(this.#io, "It destroys something.", word);
    const { decided } = allowed
      ? await this.#client.call("exec.approve", {
          approvalId,
          decision: "once",
          ...(word === undefined ? {} : { confirm: word }),
        })
      : await this.#client.call("exec.deny", { approvalId });
    if (decided.status !== (allowed ? "approved" : "denied"))
      this.#say(`It was decided elsewhere: ${decided.status}.`);
  }

  async #question(asked: QuestionAsked): Promise<void> {
    const { questionId, question, options } = asked;
    const choices = options ? `\n${options.map((option) => `  - ${option}`).join("\n")}` : "";
    this.#say(`\n${question}${choices}`);
    if (!canAsk(this.#io)) {
      this.#say(`Waiting for you: ${ownName(this.#io.env)} approvals answer ${questionId.slice(-8)} "…"`);
      return;
    }
    const terminal = createInterface({ input: this.#io.stdin, output: this.#io.stderr });
    try {
      const answer = (await terminal.question("> ")).trim();
      if (answer !== "") await this.#client.call("owner.answer", { questionId, answer });
    } finally {
      terminal.close();
    }
  }

  #say(text: string): void {
    this.#io.stderr.write(`${this.#io.stderr.isTTY ? visibleText(text) : text}\n`);
  }
}

type ApprovalAsked = EventData<"exec.approval_request">;
type QuestionAsked = EventData<"owner.question">;

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
