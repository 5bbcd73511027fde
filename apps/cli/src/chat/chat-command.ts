import { fail, FailureError } from "@elwood/core/base/failure";
import { systemClock } from "@elwood/platform/system";
import type { Link } from "../connect.ts";
import { editText } from "../editor.ts";
import { findSession } from "../find-session.ts";
import { EXIT, type Io } from "../io.ts";
import { JoinedGateway } from "../joined-gateway.ts";
import { paintFor } from "../paint.ts";
import { reportFailure } from "../failure-text.ts";

export interface ChatOptions {
  readonly session?: string;
  readonly continueLast?: boolean;
  readonly model?: string;
  /** The first message. */
  readonly words?: string;
}

/** A chat outlives many gateways: it tries again for as long as it is open. */
const RECONNECTS_MAX = 10_000;

/** Whether the terminal can show the chat screen. */
export function canChat(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true && io.env["TERM"] !== "dumb";
}

/** `elwood chat`: a conversation on the screen of the terminal. */
export async function chat(io: Io, options: ChatOptions, join: () => Promise<Link>): Promise<number> {
  if (!canChat(io))
    return fail(
      "INVALID_INPUT",
      'The chat needs a terminal with a keyboard. Nothing was sent. Ask once instead: elwood "…"',
    );
  const gateway = new JoinedGateway(join, await join(), RECONNECTS_MAX);
  const left = new AbortController();
  const client = gateway.client(left.signal);
  try {
    const sessionKey = await chosenSession(client, options);
    if (options.model !== undefined) await client.call("models.check", { model: options.model });
    const [{ ProcessTerminal }, { Screen }, { ChatApp }] = await Promise.all([
      import("@earendil-works/pi-tui"),
      import("./screen.ts"),
      import("./chat-app.ts"),
    ]);
    const paint = paintFor(io);
    const app = new ChatApp(
      {
        client,
        io,
        paint,
        screen: (events) => new Screen(new ProcessTerminal(), events, paint),
        now: () => systemClock.now(),
        edit: (name, text) => editText(io, { name, text }),
      },
      sessionKey,
      options.model,
      options.words,
    );
    await app.run();
    return EXIT.ok;
  } catch (error) {
    if (error instanceof FailureError) return reportFailure(io, error.failure, false);
    throw error;
  } finally {
    left.abort();
    await client.close();
    await gateway.leave();
  }
}

async function chosenSession(
  client: Parameters<typeof findSession>[0],
  { session, continueLast }: ChatOptions,
): Promise<string | undefined> {
  if (session !== undefined) return (await findSession(client, session)).sessionKey;
  if (continueLast !== true) return undefined;
  const { sessions } = await client.call("sessions.list", { limit: 1 });
  return sessions[0]?.sessionKey;
}
