import { RESOURCE_PLACES, type ResourcePlace } from "@elwood/core/action/execution-shapes";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import type { Resource, ResourceReader } from "@elwood/runtime/actions/execute-action";
import type { Principal } from "@elwood/runtime/ports/ports";
import { ProgramCaller } from "./program-caller.ts";
import type { Services } from "./services.ts";

type Caller = Pick<ProgramCaller, "call">;
type Search = (caller: Caller, query: string, limit: number) => Promise<readonly Resource[]>;

const FOUND_DEFAULT = 10;
/** The newest ones; a search for words reads no further. */
const RECEIPTS_SEARCHED_MAX = 1_000;
/** Of one thing that is read. */
const TEXT_CHARS_MAX = 200_000;

/** Through the gateway's own methods, as a program: a tenant finds its own, and nothing of the owner's notes. */
export function resourceReader(services: Services, principal: Principal, surface: string): ResourceReader {
  const caller = new ProgramCaller(services, principal, surface);
  const { tenant } = principal;
  const own = RESOURCE_PLACES.filter((place) => place !== "memory" || tenant === DEFAULT_TENANT);
  return {
    async search({ query, in: places = own, limit = FOUND_DEFAULT }) {
      const found = await Promise.all(places.map((place) => SEARCHES[place](caller, query, limit)));
      // What one place thinks of its best cannot be compared with another's.
      const turns = Array.from({ length: limit }, (_, i) => found.flatMap((each) => each[i] ?? []));
      return turns.flat().slice(0, limit);
    },

    async get({ uri }) {
      const [, scheme = "", name = "", line] = /^(\w+):([^#]+)(?:#(\d+))?$/.exec(uri) ?? [];
      if (scheme === "memory") return note(caller, name, line === undefined ? undefined : Number(line));
      if (scheme === "session") return session(caller, name);
      if (scheme === "receipt") return receipt(caller, name);
      return fail(
        "INVALID_INPUT",
        "A uri begins with memory:, session: or receipt:, as resources.search names it. Nothing was read.",
      );
    },
  };
}

const SEARCHES: Readonly<Record<ResourcePlace, Search>> = {
  async memory(caller, query, limit) {
    const { hits } = await caller.call("memory.search", { query, limit });
    return hits.map(({ source, line, speaker, text, ts }) => ({
      uri: `memory:${source}#${line}`,
      place: "memory",
      title: `${source}, line ${line}, ${speaker}`,
      text,
      at: ts,
    }));
  },

  async sessions(caller, query, limit) {
    const { hits } = await caller.call("sessions.search", { query, limit });
    return hits.map(({ session: { sessionKey, title }, role, snippet, ts }) => ({
      uri: `session:${sessionKey}`,
      place: "sessions",
      title: `${title}, ${role}`,
      text: snippet,
      at: ts,
    }));
  },

  /** Every word stands in what a receipt says of its call; looked for in the newest ones. */
  async receipts(caller, query, limit) {
    const words = query.toLowerCase().split(/\s+/);
    const found: Resource[] = [];
    let before: number | undefined;
    for (let seen = 0; seen < RECEIPTS_SEARCHED_MAX && found.length < limit;) {
      const page = await caller.call("receipts.list", {
        limit: LIMITS.pageSizeMax,
        ...(before === undefined ? {} : { before }),
      });
      for (const { id, type, ts, payload } of page.receipts) {
        const about = [type, payload["toolId"], page.targets?.[id]].filter(
          (each) => typeof each === "string",
        );
        const text = about.join(" ");
        if (words.every((word) => text.toLowerCase().includes(word)))
          found.push({ uri: `receipt:${id}`, place: "receipts", title: type, text, at: ts });
      }
      seen += page.receipts.length;
      before = page.next;
      if (before === undefined || page.receipts.length === 0) break;
    }
    return found.slice(0, limit);
  },
};

/** Lines before and after the one that was found. */
const LINES_AROUND = 5;

async function note(caller: Caller, source: string, line: number | undefined): Promise<Resource> {
  const around =
    line === undefined ? {} : { from: Math.max(1, line - LINES_AROUND), to: line + LINES_AROUND };
  const { note: whole, turns = [] } = await caller.call("memory.show", { source, ...around });
  const about = { uri: `memory:${source}${line === undefined ? "" : `#${line}`}`, place: "memory" } as const;
  if (whole) return { ...about, title: whole.key, text: whole.text, at: whole.modifiedAt };
  const text = turns.map(({ speaker, text: said }) => `${speaker}: ${said}`).join("\n");
  return { ...about, title: source, text, at: turns[0]?.ts ?? 0 };
}

async function session(caller: Caller, sessionKey: string): Promise<Resource> {
  const [{ session: about }, { content }] = await Promise.all([
    caller.call("sessions.get", { sessionKey }),
    caller.call("sessions.export", { sessionKey, format: "markdown" }),
  ]);
  const cut = content.length > TEXT_CHARS_MAX;
  return {
    uri: `session:${sessionKey}`,
    place: "sessions",
    title: about.title,
    // The end of a conversation is what it came to.
    text: cut ? `…${content.slice(-TEXT_CHARS_MAX)}` : content,
    at: about.updatedAt,
  };
}

async function receipt(caller: Caller, receiptId: string): Promise<Resource> {
  const found = await caller.call("receipts.get", { receiptId });
  const { id, type, ts } = found.receipt;
  const text = JSON.stringify(found, undefined, 2).slice(0, TEXT_CHARS_MAX);
  return { uri: `receipt:${id}`, place: "receipts", title: type, text, at: ts };
}
