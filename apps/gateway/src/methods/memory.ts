import { fail } from "@elwood/core/base/failure";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { WireMemoryHit } from "@elwood/core/protocol/memory-shapes";
import type { EraseRequest } from "@elwood/memory/erase/resolve";
import { personOf, type Handlers } from "./context.ts";

type MemoryMethods = Extract<MethodName, `memory.${string}`>;

/** Memory, for its owner. All of it is loaded with the first question. */
export const memoryMethods: Handlers<MemoryMethods, "memory" | "sessions"> = {
  async "memory.list"(_params, { services }) {
    return { notes: await (await services.memory.notes()).list() };
  },

  async "memory.search"(params, { services, tenant }) {
    const found = await (await services.memory.notes()).search(params);
    const titles = new Map<string, string>();
    for (const key of new Set(found.hits.flatMap(({ sessionKey }) => sessionKey ?? []))) {
      const session = await services.sessions.stores.sessions.get(tenant, key);
      if (session) titles.set(key, session.title);
    }
    const titled = (hit: WireMemoryHit): WireMemoryHit => {
      const title = titles.get(hit.sessionKey ?? "");
      return title === undefined ? hit : { ...hit, title };
    };
    return { ...found, hits: found.hits.map(titled) };
  },

  async "memory.show"(params, { services }) {
    return (await services.memory.notes()).show(params);
  },

  async "memory.save"({ key, content, expected }, { services }) {
    return (await services.memory.notes()).save(key, content, expected);
  },

  async "memory.forget"(params, context) {
    const { services, tenant } = context;
    const what = whatOf(params);
    const { dryRun, confirm, backups = false } = params;
    const eraseService = await services.memory.erase();
    if (dryRun) return eraseService.plan(tenant, what, { backups });
    if (what.kind === "word" && confirm === undefined)
      fail(
        "INVALID_INPUT",
        'memory.forget: a word takes "confirm", the number of things that a dry run counts. Nothing was forgotten.',
      );
    return eraseService.forget(tenant, what, personOf(context), {
      backups,
      ...(confirm === undefined ? {} : { confirm }),
    });
  },

  async "memory.never"({ source, line, never }, { services }) {
    await (await services.memory.notes()).never(source, line, never);
    return { ok: true };
  },

  async "memory.recalled"({ runId }, { services }) {
    return (await services.memory.notes()).recalled(runId);
  },

  async "memory.status"(_params, { services }) {
    return (await services.memory.notes()).status();
  },

  async "memory.rebuild"(_params, { services }) {
    return (await services.memory.notes()).rebuild();
  },
};

function whatOf({ note, place, turn, session, word }: MethodParams<"memory.forget">): EraseRequest {
  const named: EraseRequest[] = [];
  if (note !== undefined) named.push({ kind: "note", key: note });
  if (place) named.push({ kind: "place", ...place });
  if (turn) {
    if ((turn.messageId === undefined) === (turn.runId === undefined))
      fail("INVALID_INPUT", 'memory.forget: a turn takes "messageId" or "runId". Nothing was forgotten.');
    named.push({
      kind: "turn",
      session: turn.sessionKey,
      ...(turn.messageId === undefined ? {} : { message: turn.messageId }),
      ...(turn.runId === undefined ? {} : { run: turn.runId }),
    });
  }
  if (session !== undefined) named.push({ kind: "session", session });
  if (word !== undefined) named.push({ kind: "word", word });
  const [what, ...more] = named;
  if (!what || more.length > 0)
    return fail(
      "INVALID_INPUT",
      'memory.forget: name one of "note", "place", "turn", "session" and "word". Nothing was forgotten.',
    );
  return what;
}
