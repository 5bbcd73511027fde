import { fail } from "@elwood/core/base/failure";
import { plainLine } from "@elwood/core/message/session-text";
import { findSession } from "./find-session.ts";
import { ownName, type Io } from "./io.ts";
import { counted } from "@elwood/core/base/relative-time";
import { tell, type SessionsDeps } from "./sessions-command.ts";

/** `elwood sessions fork <session>`: a copy up to its last answer, or up to or before a run. */
export async function forkSession(
  io: Io,
  deps: SessionsDeps,
  options: {
    readonly session: string;
    /** The run, or the end of its id; the last one unless told. */
    readonly run?: string;
    readonly before: boolean;
    readonly json: boolean;
  },
): Promise<number> {
  const { sessionKey, title } = await findSession(deps.client, options.session);
  const { messages, runs } = await deps.client.call("sessions.get", { sessionKey });
  const unfinished = new Set(runs.map(({ runId }) => runId));
  const ids = [...new Set(messages.map(({ runId }) => runId))];
  const wanted = options.run;
  const runId =
    wanted === undefined
      ? ids.findLast((id) => options.before || !unfinished.has(id))
      : ids.find((id) => id === wanted || id.endsWith(wanted));
  if (runId === undefined) {
    fail(
      "NOT_FOUND",
      wanted === undefined
        ? `Nothing was answered in "${plainLine(title)}" yet, so there is nothing to copy.`
        : `No run of "${plainLine(title)}" fits "${wanted}". Nothing was copied.`,
    );
  }
  const { session } = await deps.client.call("sessions.fork", {
    sessionKey,
    runId,
    include: !options.before,
  });
  const copied = counted(session.messageCount, "message");
  const go = `${ownName(io.env)} -s ${session.sessionKey} "…"`;
  const sentence = `"${plainLine(session.title)}" is a copy with ${copied}. Go on in it with: ${go}`;
  return tell(io, options.json, session, sentence);
}
