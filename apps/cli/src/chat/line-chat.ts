import { createInterface } from "node:readline/promises";
import { Readable } from "node:stream";
import { Connection, GatewayClient } from "@elwood/sdk/client";
import { FailureError } from "@elwood/core/base/failure";
import { ask } from "../ask-command.ts";
import type { Link } from "../connect.ts";
import { reportFailure } from "../failure-text.ts";
import { EXIT, type Io } from "../io.ts";
import { chosenSession, chosenSettings, type ChatOptions } from "./chat-command.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

/**
 * The chat without a screen: a line in, an answer out. For terminals that cannot move their
 * cursor, and for pipes, which get answers only.
 */
export async function lineChat(io: Io, options: ChatOptions, join: () => Promise<Link>): Promise<number> {
  // Kept for the whole chat; each answer has a connection of its own.
  const link = await join();
  const client = await GatewayClient.over(link.connection);
  const lines = linesOf(io);
  let code: number = EXIT.ok;
  let readerGone = false;
  // Whoever runs the command says what such an error means for it; here it ends the chat.
  const noReader = () => {
    readerGone = true;
  };
  io.stdout.once("error", noReader);
  try {
    let sessionKey = await chosenSession(client, options);
    const settings = await chosenSettings(client, options);
    if (lines.isTerminal) {
      const { model, demo, storage } = await client.call("gateway.status", {});
      io.stderr.write(`${WORDS.lineIntro(settings.model ?? (demo ? WORDS.demoName : model))}\n`);
      if (storage) io.stderr.write(`! ${WORDS.gateway(storage.text)}\n`);
    }
    let first = options.words?.trim() ?? "";
    for (;;) {
      if (readerGone) {
        io.stderr.write(`${WORDS.readerGone}\n`);
        return code;
      }
      const line: string | undefined = first === "" ? await lines.next() : first;
      first = "";
      if (line === undefined || (line.trim() === "" && lines.isTerminal) || line.trim() === "/exit")
        return code;
      if (line.trim() === "") continue;
      if (line.trim() === "/new") {
        sessionKey = undefined;
        io.stderr.write(`${WORDS.newSession}\n`);
        continue;
      }
      if (/^\/[a-z-]+$/.test(line.trim())) {
        io.stderr.write(`${WORDS.lineCommands}\n`);
        continue;
      }
      if (sessionKey === undefined) {
        ({ sessionKey } = await client.call("sessions.create", {}));
        const { model, profile } = settings;
        if (typeof model === "string" || typeof profile === "string")
          await client.call("sessions.configure", { sessionKey, model, profile });
      }
      code = await ask(
        lines.ioForAnswer,
        { prompt: line, session: sessionKey, stream: options.stream ?? true, json: false },
        () => anotherConnection(link),
      );
    }
  } catch (error) {
    if (error instanceof FailureError) return reportFailure(io, error.failure, false);
    throw error;
  } finally {
    io.stdout.off("error", noReader);
    lines.close();
    await client.close();
    await link.leave();
  }
}

async function anotherConnection({ endpoint }: Link): Promise<Link> {
  const connection = await Connection.open({ ...endpoint, client: { name: "cli", drafts: true } });
  return { connection, endpoint, leave: () => connection.close() };
}

interface Lines {
  readonly isTerminal: boolean;
  /** For what asks its own questions while an answer is made. */
  readonly ioForAnswer: Io;
  /** undefined: there are no more. */
  next(): Promise<string | undefined>;
  close(): void;
}

function linesOf(io: Io): Lines {
  if (io.stdin.isTTY === true) {
    return {
      isTerminal: true,
      ioForAnswer: io,
      // One reader a line: between lines the terminal belongs to the questions of an answer.
      async next() {
        const reader = createInterface({ input: io.stdin, output: io.stderr, terminal: false });
        const { promise, resolve } = Promise.withResolvers<string | undefined>();
        io.stderr.write("> ");
        reader.once("line", resolve);
        reader.once("close", () => resolve(undefined));
        const line = await promise;
        reader.close();
        return line;
      },
      close: () => undefined,
    };
  }
  const reader = createInterface({ input: io.stdin, terminal: false });
  const all = reader[Symbol.asyncIterator]();
  return {
    isTerminal: false,
    ioForAnswer: { ...io, stdin: Readable.from([]) },
    async next() {
      const { value, done } = await all.next();
      return done === true ? undefined : value;
    },
    close: () => reader.close(),
  };
}
