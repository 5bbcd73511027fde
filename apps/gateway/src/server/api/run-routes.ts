import { fail } from "@elwood/core/base/failure";
import { ID_RANDOM_BYTES, makeId } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { sha256 } from "@elwood/platform/system";
import type { Principal } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import { ProgramCaller } from "../../methods/program-caller.ts";
import type { Services } from "../../methods/services.ts";
import { readJson, sendJson } from "../http.ts";
import type { Exchange, Route } from "./router.ts";
import { RunLogs, type LoggedEvent, type RunLog } from "./run-log.ts";
import { SseStream } from "./sse.ts";

/** Runs over HTTP: begun with one request, watched with another. They go on whoever watches. */
export function runRoutes(services: Services): Route[] {
  const logs = new RunLogs(services.runs.engine.feeds);
  return [
    {
      verb: "POST",
      path: "/api/v1/runs",
      scope: "chat",
      about: {
        id: "runs.start",
        summary: "Send a message to an agent. The run goes on, whoever watches.",
        body: () => runSchema,
        answer: () => startedSchema,
        status: 202,
        keyed: true,
      },
      handle: (exchange, principal) => start(exchange, principal, services, logs),
    },
    {
      verb: "GET",
      path: "/api/v1/runs/{runId}/events",
      scope: "chat",
      about: {
        id: "runs.events",
        summary: "A run as server-sent events. `Last-Event-ID`, or `after`, goes on where one was left.",
        query: () => z.object({ after: z.number().int().optional() }),
        stream: true,
      },
      handle: (exchange, principal) => events(exchange, principal, services, logs),
    },
  ];
}

const runSchema = z.strictObject({
  message: z.string().min(1).max(LIMITS.messageCharsMax),
  sessionKey: z.string().min(1).max(64).optional(),
  agentId: z.string().min(1).max(64).optional(),
  model: z.string().min(1).max(200).optional(),
});

const startedSchema = z.object({
  runId: z.string(),
  sessionKey: z.string(),
  repeated: z.boolean().optional(),
  links: z.object({ self: z.string(), events: z.string() }),
});

/** What a program sends is a program's, whatever its token. Under a key the same request begins one run, also over a crash. */
async function start(
  { request, response }: Exchange,
  principal: Principal,
  services: Services,
  logs: RunLogs,
): Promise<void> {
  const parsed = safelyParse(runSchema, await readJson(request, LIMITS.apiBodyBytesMax));
  if (!parsed.success)
    return fail(
      "INVALID_INPUT",
      `${parsed.error.issues[0]?.path.join(".")}: ${parsed.error.issues[0]?.message}. Nothing was done.`,
    );
  const { message, sessionKey: given, agentId, model } = parsed.data;
  const key = request.headers["idempotency-key"];
  if (Array.isArray(key) || key === "" || (key?.length ?? 0) > LIMITS.idempotencyKeyCharsMax)
    return fail("INVALID_INPUT", "That is no Idempotency-Key. Nothing was done.");
  const caller = new ProgramCaller(services, principal, "http");
  const sessionKey =
    given ??
    (
      await caller.call("sessions.create", {
        ...(agentId === undefined ? {} : { agentId }),
        ...(key === undefined ? {} : { sessionKey: sessionFor(principal, key) }),
      })
    ).sessionKey;
  const sent = await caller.call(
    "chat.send",
    {
      sessionKey,
      message,
      ...(model === undefined ? {} : { model }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    },
    // What comes from the first event on is kept for who watches it later.
    (begun) => logs.of(begun),
  );
  const { runId, repeated } = sent;
  const links = { self: `/api/v1/runs/${runId}`, events: `/api/v1/runs/${runId}/events` };
  sendJson(
    response,
    202,
    { runId, sessionKey, ...(repeated ? { repeated } : {}), links },
    { location: links.self },
  );
}

/** The session of a key: the same key gets the same, so that a request that is sent again finds its run. */
function sessionFor({ tokenId }: Principal, key: string): string {
  const hash = Buffer.from(sha256(JSON.stringify(["run", tokenId, key])), "hex");
  return makeId("session", hash.readUIntBE(ID_RANDOM_BYTES, 5), hash.subarray(0, ID_RANDOM_BYTES));
}

/**
 * A run as it goes on: first where it stands, then each event after that, with its number as `id`. Who comes
 * back with the number of the last one it saw gets exactly what came since; where that is not kept any more, where
 * the run stands is told again, which holds all of it.
 */
async function events(
  { request, response, url, path }: Exchange,
  principal: Principal,
  services: Services,
  logs: RunLogs,
): Promise<void> {
  const runId = path["runId"] ?? "";
  const caller = new ProgramCaller(services, principal, "http");
  const last = request.headers["last-event-id"] ?? url.searchParams.get("after") ?? undefined;
  const seen = typeof last === "string" && /^\d{1,15}$/.test(last) ? Number(last) : undefined;
  const stand = async () => {
    let log: RunLog | undefined;
    // Where it stands, and what comes after that, in one step.
    const { snapshot, seq } = await caller.call("chat.resume", { runId }, () => (log = logs.of(runId)));
    return { snapshot, seq, log: log ?? logs.of(runId) };
  };
  let { snapshot, seq, log } = await stand();
  const stream = new SseStream(response, services.system.clock);
  let told = seen;
  while (!stream.gone.aborted) {
    const missed: readonly LoggedEvent[] | undefined = told === undefined ? undefined : log?.after(told);
    if (!missed) {
      if (told !== undefined && told !== seq) ({ snapshot, seq, log } = await stand());
      if (told !== seq) await stream.send(JSON.stringify(snapshot), "snapshot", seq);
      told = seq;
      // Nothing follows, or nothing that is known here.
      if (snapshot.final || snapshot.error || !log?.after(seq)) break;
    } else if (missed.length > 0)
      for (const event of missed) {
        told = event.seq;
        await stream.send(event.json, event.name, told);
      }
    else if (log?.ended) break;
    else await log?.next(stream.gone);
  }
  stream.end();
}
