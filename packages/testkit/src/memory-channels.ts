import {
  hasMoreToShow,
  adoptedMessages,
  markedMessages,
  revisedMessages,
  withoutContent,
} from "@elwood/runtime/channels/outbox-messages";
import type { ChannelStores, Outbox, OutboxItem, Pairing } from "@elwood/runtime/ports/channel-ports";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { copied } from "./memory-state.ts";

interface Kept {
  readonly tenant: string;
  readonly seq: number;
  closed: boolean;
  item: OutboxItem;
}

/** What channels store, in memory: it passes the same contract suites as that of the gateway. */
export function memoryChannels(): ChannelStores {
  const events = new Map<string, { tenant: string; done: boolean; plan?: string; at: number }>();
  const states = new Map<string, string>();
  const pairings = new Map<string, { tenant: string; pairing: Pairing }>();
  const key = (...parts: readonly string[]) => {
    checkTenant(parts[0] ?? "");
    return JSON.stringify(parts);
  };
  return {
    outbox: memoryOutbox(),
    inbox: {
      async seen(tenant, channel, eventId) {
        return events.get(key(tenant, channel, eventId))?.done === true;
      },
      async plan(tenant, channel, eventId, plan, at) {
        const known = events.get(key(tenant, channel, eventId));
        if (known) return known.plan ?? plan;
        events.set(key(tenant, channel, eventId), { tenant, done: false, plan, at });
        return plan;
      },
      async note(tenant, channel, eventId, at) {
        const known = events.get(key(tenant, channel, eventId));
        events.set(key(tenant, channel, eventId), { tenant, done: true, at: known?.at ?? at });
      },
      async prune(tenant, before) {
        const old = [...events].filter(([, event]) => event.tenant === tenant && event.at < before);
        for (const [id] of old) events.delete(id);
        return old.length;
      },
    },
    channelStates: {
      async read(tenant, channel, name) {
        return states.get(key(tenant, channel, name));
      },
      async write(tenant, channel, name, value) {
        states.set(key(tenant, channel, name), value);
      },
    },
    pairings: {
      async find(tenant, channel, senderId) {
        const found = pairings.get(key(tenant, channel, senderId));
        return found && copied(found.pairing);
      },
      async list(tenant) {
        checkTenant(tenant);
        return [...pairings.values()]
          .filter((each) => each.tenant === tenant)
          .map(({ pairing }) => copied(pairing))
          .toSorted((a, b) => a.at - b.at || (a.senderId < b.senderId ? -1 : 1));
      },
      async put(tenant, pairing) {
        const { channel, senderId } = pairing;
        pairings.set(key(tenant, channel, senderId), { tenant, pairing: copied(pairing) });
      },
      async remove(tenant, channel, senderId) {
        return pairings.delete(key(tenant, channel, senderId));
      },
    },
  };
}

function memoryOutbox(): Outbox {
  const rows: Kept[] = [];
  const sent = new Map<string, string>();
  const of = (tenant: string) => {
    checkTenant(tenant);
    return rows.filter((row) => row.tenant === tenant);
  };
  const find = (tenant: string, id: string) => of(tenant).find(({ item }) => item.id === id);
  const place = (tenant: string, channel: string, chat: string, messageId: string) =>
    JSON.stringify([tenant, channel, chat, messageId]);

  const readyAt = (tenant: string, channel: string, chat: string, at: number) =>
    of(tenant)
      .filter(({ item }) => item.state === "ready" && item.channel === channel && item.chat === chat)
      .reduce((last, { item }) => Math.max(last, (item.readyAt ?? 0) + 1), at);

  return {
    async open(tenant, { messages, at, ...given }) {
      const known = of(tenant).find(
        ({ item }) =>
          item.kind === given.kind &&
          item.subject === given.subject &&
          item.channel === given.channel &&
          item.chat === given.chat,
      );
      if (known) return copied(known.item);
      const item: OutboxItem = copied({
        ...given,
        state: messages ? "ready" : "writing",
        messages: revisedMessages([], messages ?? []),
        failures: 0,
        createdAt: at,
        ...(messages ? { readyAt: readyAt(tenant, given.channel, given.chat, at) } : {}),
      });
      rows.push({ tenant, seq: rows.length, closed: item.kind === "notice", item });
      return copied(item);
    },

    async get(tenant, id) {
      const row = find(tenant, id);
      return row && copied(row.item);
    },

    async about(tenant, kind, subject) {
      return of(tenant)
        .filter(({ item }) => item.kind === kind && item.subject === subject)
        .map(({ item }) => copied(item))
        .toSorted((a, b) => (`${a.channel} ${a.chat}` < `${b.channel} ${b.chat}` ? -1 : 1));
    },

    async ofMessage(tenant, { channel, chat, messageId }) {
      const row = find(tenant, sent.get(place(tenant, channel, chat, messageId)) ?? "");
      return row && copied(row.item);
    },

    async revise(tenant, id, { messages, at, writing = false }) {
      const row = find(tenant, id);
      if (!row) return undefined;
      const revised = copied(revisedMessages(row.item.messages, messages));
      if (writing) row.item = { ...row.item, messages: revised };
      else {
        const { notBefore: _n, problem: _p, reason: _r, settledAt: _s, ...rest } = row.item;
        const when = readyAt(tenant, rest.channel, rest.chat, at);
        row.item = { ...rest, messages: revised, state: "ready", readyAt: when, failures: 0 };
      }
      return copied(row.item);
    },

    async mark(tenant, id, index, change) {
      const row = find(tenant, id);
      if (!row) return undefined;
      const messages = markedMessages(row.item.messages, index, change);
      row.item = copied({ ...row.item, messages });
      const { channel, chat } = row.item;
      if (typeof change.messageId === "string") sent.set(place(tenant, channel, chat, change.messageId), id);
      return copied(row.item);
    },

    async adopt(tenant, id, messageId) {
      const row = find(tenant, id);
      if (!row) return undefined;
      row.item = copied({ ...row.item, messages: adoptedMessages(row.item.messages, messageId) });
      sent.set(place(tenant, row.item.channel, row.item.chat, messageId), id);
      return copied(row.item);
    },

    async postpone(tenant, id, { notBefore, problem }) {
      const row = find(tenant, id);
      if (!row || row.item.settledAt !== undefined) return;
      row.item = { ...row.item, notBefore, problem, failures: row.item.failures + 1 };
    },

    async settle(tenant, id, { at, ...change }) {
      const row = find(tenant, id);
      if (!row) return undefined;
      if (row.item.settledAt !== undefined) return copied(row.item);
      if (change.state === "delivered" && hasMoreToShow(row.item)) return copied(row.item);
      const { notBefore: _n, problem: _p, ...rest } = row.item;
      row.item = { ...rest, ...change, messages: rest.messages.map(withoutContent), settledAt: at };
      return copied(row.item);
    },

    async next(tenant, channel, chat) {
      const ready = of(tenant)
        .filter(({ item }) => item.state === "ready" && item.channel === channel && item.chat === chat)
        .toSorted((a, b) => (a.item.readyAt ?? 0) - (b.item.readyAt ?? 0) || a.seq - b.seq);
      return ready[0] && copied(ready[0].item);
    },

    async unsettled(tenant, limit) {
      return of(tenant)
        .filter(({ item }) => item.settledAt === undefined)
        .toSorted(
          (a, b) =>
            Number(a.item.state === "writing") - Number(b.item.state === "writing") ||
            (a.item.readyAt ?? a.item.createdAt) - (b.item.readyAt ?? b.item.createdAt) ||
            a.seq - b.seq,
        )
        .slice(0, limit)
        .map(({ item }) => copied(item));
    },

    async unclosed(tenant, limit) {
      return of(tenant)
        .filter(({ item, closed }) => item.settledAt !== undefined && !closed)
        .slice(0, limit)
        .map(({ item }) => copied(item));
    },

    async undelivered(tenant, since, limit) {
      const settled = of(tenant).map(({ item }) => item);
      const later = ({ channel, chat, settledAt = 0 }: OutboxItem) =>
        settled.some(
          (each) =>
            each.state === "delivered" &&
            each.channel === channel &&
            each.chat === chat &&
            (each.settledAt ?? 0) > settledAt,
        );
      return settled
        .filter(
          ({ kind, state, settledAt = 0 }) =>
            kind === "reply" && state === "undeliverable" && settledAt >= since,
        )
        .filter((item) => !later(item))
        .toReversed()
        .toSorted((a, b) => (b.settledAt ?? 0) - (a.settledAt ?? 0))
        .slice(0, limit)
        .map((item) => copied(item));
    },

    async close(tenant, id) {
      const row = find(tenant, id);
      if (row) row.closed = true;
    },

    async moveChat(tenant, channel, from, to) {
      for (const row of of(tenant))
        if (row.item.channel === channel && row.item.chat === from) row.item = { ...row.item, chat: to };
      for (const [at, id] of sent) {
        const [owner, of_, chat, messageId] = JSON.parse(at) as [string, string, string, string];
        if (owner !== tenant || of_ !== channel || chat !== from) continue;
        sent.delete(at);
        sent.set(place(tenant, channel, to, messageId), id);
      }
    },

    async prune(tenant, before) {
      const old = of(tenant).filter(({ item }) => item.settledAt !== undefined && item.settledAt < before);
      for (const row of old) {
        rows.splice(rows.indexOf(row), 1);
        for (const [at, id] of sent) if (id === row.item.id) sent.delete(at);
      }
      return old.length;
    },
  };
}
