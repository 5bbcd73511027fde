import type { ChannelStores, NewOutboxItem } from "@elwood/runtime/ports/channel-ports";
import { describe, expect, test } from "vitest";
import { TENANT } from "./store-script.ts";

export interface ChannelStoresHarness {
  readonly stores: ChannelStores;
  /** The same, as the next process finds them. */
  readonly reopen: () => Promise<ChannelStores>;
  dispose(): Promise<void>;
}

const OTHER = "other";

const reply = (more: Partial<NewOutboxItem> = {}): NewOutboxItem => ({
  id: "out_1",
  channel: "telegram",
  chat: "42",
  kind: "reply",
  subject: "run_1",
  runId: "run_1",
  at: 1_000,
  ...more,
});

/** What every Outbox, Inbox, ChannelStates and Pairings does. Run by each implementation. */
export function channelStoresContract(name: string, open: () => Promise<ChannelStoresHarness>): void {
  const withStores = (work: (harness: ChannelStoresHarness) => Promise<void>) => async () => {
    const harness = await open();
    try {
      await work(harness);
    } finally {
      await harness.dispose();
    }
  };

  describe(`Outbox: ${name}`, () => {
    test(
      "an item that is owed is there after a restart, and opening it again changes nothing",
      withStores(async ({ stores, reopen }) => {
        const opened = await stores.outbox.open(TENANT, reply());
        expect(opened).toEqual({
          id: "out_1",
          channel: "telegram",
          chat: "42",
          kind: "reply",
          subject: "run_1",
          runId: "run_1",
          state: "writing",
          messages: [],
          failures: 0,
          createdAt: 1_000,
        });
        const { outbox } = await reopen();
        expect(await outbox.open(TENANT, reply({ id: "out_2", at: 2_000 }))).toEqual(opened);
        expect(await outbox.get(TENANT, "out_1")).toEqual(opened);
        expect(await outbox.get(OTHER, "out_1")).toBeUndefined();
        expect(await outbox.unsettled(TENANT, 10)).toEqual([opened]);
      }),
    );

    test(
      "the same subject may be owed to several chats, and each is found by it",
      withStores(async ({ stores: { outbox } }) => {
        const card = (id: string, chat: string) =>
          outbox.open(TENANT, reply({ id, chat, kind: "card", subject: "apr_1", messages: [{ text: "?" }] }));
        await card("out_1", "1");
        await card("out_2", "2");
        expect((await outbox.about(TENANT, "card", "apr_1")).map(({ chat }) => chat)).toEqual(["1", "2"]);
        expect(await outbox.about(TENANT, "reply", "apr_1")).toEqual([]);
        expect(await outbox.about(OTHER, "card", "apr_1")).toEqual([]);
      }),
    );

    test(
      "a message goes from waiting over sending to shown, keeps the platform's id and drops its text",
      withStores(async ({ stores: { outbox }, reopen }) => {
        await outbox.open(TENANT, reply({ messages: [{ text: "one", form: { a: [1] } }, { text: "two" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "sending" });
        const again = (await reopen()).outbox;
        expect((await again.get(TENANT, "out_1"))?.messages).toEqual([
          { content: { text: "one", form: { a: [1] } }, state: "sending" },
          { content: { text: "two" }, state: "waiting" },
        ]);
        await again.mark(TENANT, "out_1", 0, { state: "shown", messageId: "m7" });
        expect((await again.get(TENANT, "out_1"))?.messages[0]).toEqual({ state: "shown", messageId: "m7" });
        const place = { channel: "telegram", chat: "42", messageId: "m7" };
        expect((await again.ofMessage(TENANT, place))?.id).toBe("out_1");
        expect(await again.ofMessage(TENANT, { ...place, chat: "43" })).toBeUndefined();
        expect(await again.ofMessage(OTHER, place)).toBeUndefined();
      }),
    );

    test(
      "a message that is gone from the chat loses its id, and keeps what it is to say",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ messages: [{ text: "one" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "waiting", messageId: "m1" });
        await outbox.mark(TENANT, "out_1", 0, { state: "waiting", messageId: null });
        expect((await outbox.get(TENANT, "out_1"))?.messages).toEqual([
          { content: { text: "one" }, state: "waiting" },
        ]);
      }),
    );

    test(
      "a second sending is noted until it is known not to have happened",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ messages: [{ text: "one" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "unknown" });
        await outbox.mark(TENANT, "out_1", 0, { state: "sending", repeated: true });
        await outbox.mark(TENANT, "out_1", 0, { state: "unknown" });
        expect((await outbox.get(TENANT, "out_1"))?.messages[0]).toMatchObject({
          state: "unknown",
          repeated: true,
        });
        await outbox.mark(TENANT, "out_1", 0, { state: "unknown", repeated: false });
        expect((await outbox.get(TENANT, "out_1"))?.messages[0]).toEqual({
          content: { text: "one" },
          state: "unknown",
        });
      }),
    );

    test(
      "a message that turned up belongs to its item, in the place of one whose fate was open or beside it",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ kind: "card", messages: [{ text: "?" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "unknown" });
        expect((await outbox.adopt(TENANT, "out_1", "m1"))?.messages).toEqual([
          { state: "shown", messageId: "m1" },
        ]);
        expect((await outbox.adopt(TENANT, "out_1", "m2"))?.messages).toEqual([
          { state: "shown", messageId: "m1" },
          { state: "shown", messageId: "m2" },
        ]);
        const place = { channel: "telegram", chat: "42", messageId: "m2" };
        expect((await outbox.ofMessage(TENANT, place))?.id).toBe("out_1");
        expect(await outbox.adopt(TENANT, "out_9", "m3")).toBeUndefined();
      }),
    );

    test(
      "a message that turned up while it was being sent again is kept beside the second one",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ kind: "card", messages: [{ text: "?" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "sending", repeated: true });
        await outbox.adopt(TENANT, "out_1", "m1");
        const content = { text: "?" };
        const both = await outbox.mark(TENANT, "out_1", 0, { state: "shown", messageId: "m2", content });
        expect(both?.messages.map(({ messageId }) => messageId)).toEqual(["m1", "m2"]);
        const change = { messages: [{ text: "Allowed" }, { text: "Allowed" }], at: 2 };
        expect((await outbox.revise(TENANT, "out_1", change))?.messages).toMatchObject([
          { content: { text: "Allowed" }, messageId: "m1", state: "waiting" },
          { content: { text: "Allowed" }, messageId: "m2", state: "waiting" },
        ]);
      }),
    );

    test(
      "a revised item keeps the messages that are there, and is ready again",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply());
        const draft = await outbox.revise(TENANT, "out_1", {
          messages: [{ text: "dra" }],
          at: 2,
          writing: true,
        });
        expect(draft?.state).toBe("writing");
        await outbox.mark(TENANT, "out_1", 0, { state: "shown", messageId: "m1" });
        const whole = await outbox.revise(TENANT, "out_1", {
          messages: [{ text: "draft, whole" }, { text: "and more" }],
          at: 3,
        });
        expect(whole).toMatchObject({
          state: "ready",
          readyAt: 3,
          messages: [
            { content: { text: "draft, whole" }, messageId: "m1", state: "waiting" },
            { content: { text: "and more" }, state: "waiting" },
          ],
        });
        await outbox.mark(TENANT, "out_1", 0, { state: "shown" });
        await outbox.mark(TENANT, "out_1", 1, { state: "shown", messageId: "m2" });
        await outbox.settle(TENANT, "out_1", { state: "delivered", at: 4 });
        const changed = await outbox.revise(TENANT, "out_1", { messages: [{ text: "Allowed" }], at: 5 });
        expect(changed).toMatchObject({ state: "ready", readyAt: 5 });
        expect(changed?.settledAt).toBeUndefined();
        expect(changed?.messages[0]).toEqual({
          content: { text: "Allowed" },
          messageId: "m1",
          state: "waiting",
        });
        expect(await outbox.revise(TENANT, "out_9", { messages: [], at: 5 })).toBeUndefined();
      }),
    );

    test(
      "what is revised while it is being sent is still to be shown, and until then nothing is delivered",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ messages: [{ text: "Allow?" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "sending" });
        await outbox.revise(TENANT, "out_1", { messages: [{ text: "Allowed." }], at: 2 });
        const content = { text: "Allow?" };
        const shown = await outbox.mark(TENANT, "out_1", 0, { state: "shown", messageId: "m1", content });
        const left = [{ content: { text: "Allowed." }, messageId: "m1", state: "waiting" }];
        expect(shown?.messages).toEqual(left);
        const settled = await outbox.settle(TENANT, "out_1", { state: "delivered", at: 3 });
        expect(settled).toMatchObject({ state: "ready", messages: left });
      }),
    );

    test(
      "what went out without an answer is not forgotten when its text changes",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ messages: [{ text: "draft" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "sending" });
        const revised = await outbox.revise(TENANT, "out_1", { messages: [{ text: "whole" }], at: 2 });
        expect(revised?.messages).toEqual([{ content: { text: "whole" }, state: "sending" }]);
      }),
    );

    test(
      "a postponed item says why and until when, and a settled one never changes by itself",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ messages: [{ text: "one" }] }));
        await outbox.postpone(TENANT, "out_1", { notBefore: 9_000, problem: "Telegram asks to wait." });
        expect(await outbox.get(TENANT, "out_1")).toMatchObject({
          notBefore: 9_000,
          problem: "Telegram asks to wait.",
          failures: 1,
        });
        const settled = await outbox.settle(TENANT, "out_1", {
          state: "undeliverable",
          reason: "gone",
          problem: "The bot was blocked.",
          at: 10_000,
        });
        expect(settled).toMatchObject({
          state: "undeliverable",
          reason: "gone",
          problem: "The bot was blocked.",
        });
        expect(settled?.messages).toEqual([{ state: "waiting" }]);
        await outbox.postpone(TENANT, "out_1", { notBefore: 1, problem: "x" });
        await outbox.settle(TENANT, "out_1", { state: "delivered", at: 11_000 });
        expect(await outbox.get(TENANT, "out_1")).toEqual(settled);
        expect(await outbox.unsettled(TENANT, 10)).toEqual([]);
      }),
    );

    test(
      "what is ready comes before what is being written, in the order in which it became ready",
      withStores(async ({ stores: { outbox } }) => {
        const messages = [{ text: "x" }];
        await outbox.open(TENANT, reply({ id: "out_1", subject: "a", at: 1 }));
        await outbox.open(TENANT, reply({ id: "out_2", subject: "b", at: 4, messages }));
        await outbox.open(TENANT, reply({ id: "out_3", subject: "c", at: 5, messages }));
        expect((await outbox.unsettled(TENANT, 10)).map(({ id }) => id)).toEqual(["out_2", "out_3", "out_1"]);
        expect(await outbox.unsettled(TENANT, 1)).toHaveLength(1);
        expect((await outbox.next(TENANT, "telegram", "42"))?.id).toBe("out_2");
        expect(await outbox.next(TENANT, "telegram", "43")).toBeUndefined();
        expect(await outbox.next(OTHER, "telegram", "42")).toBeUndefined();
      }),
    );

    test(
      "a clock that was set back changes no order in a chat",
      withStores(async ({ stores: { outbox } }) => {
        const messages = [{ text: "x" }];
        await outbox.open(TENANT, reply({ id: "out_1", subject: "a", at: 1 }));
        await outbox.open(TENANT, reply({ id: "out_2", subject: "b", at: 500, messages }));
        await outbox.revise(TENANT, "out_1", { messages, at: 20 });
        await outbox.open(TENANT, reply({ id: "out_3", subject: "c", at: 10, messages }));
        const order: string[] = [];
        for (let next = await outbox.next(TENANT, "telegram", "42"); next;) {
          order.push(next.id);
          await outbox.mark(TENANT, next.id, 0, { state: "shown", messageId: next.id });
          await outbox.settle(TENANT, next.id, { state: "delivered", at: 600 });
          next = await outbox.next(TENANT, "telegram", "42");
        }
        expect(order).toEqual(["out_2", "out_1", "out_3"]);
      }),
    );

    test(
      "a settled reply or card is there until it is closed, a notice is not",
      withStores(async ({ stores: { outbox }, reopen }) => {
        const messages = [{ text: "x" }];
        await outbox.open(TENANT, reply({ messages }));
        await outbox.open(TENANT, reply({ id: "out_2", kind: "notice", subject: "n", messages }));
        await outbox.open(TENANT, reply({ id: "out_3", kind: "card", subject: "apr_1", messages }));
        for (const id of ["out_1", "out_2", "out_3"]) {
          await outbox.mark(TENANT, id, 0, { state: "shown" });
          await outbox.settle(TENANT, id, { state: "delivered", at: 2 });
        }
        const again = (await reopen()).outbox;
        expect((await again.unclosed(TENANT, 10)).map(({ id }) => id)).toEqual(["out_1", "out_3"]);
        for (const id of ["out_1", "out_3"]) await again.close(TENANT, id);
        expect(await again.unclosed(TENANT, 10)).toEqual([]);
      }),
    );

    test(
      "replies that could not be delivered are found until something is delivered to their chat",
      withStores(async ({ stores: { outbox } }) => {
        const messages = [{ text: "x" }];
        const fail = async (id: string, more: object, at: number) => {
          await outbox.open(TENANT, reply({ id, subject: id, messages, ...more }));
          const problem = "The bot was blocked.";
          await outbox.settle(TENANT, id, { state: "undeliverable", reason: "gone", problem, at });
        };
        await fail("out_1", {}, 5);
        await fail("out_2", { chat: "43" }, 6);
        await fail("out_3", { chat: "44", kind: "notice" }, 7);
        await fail("out_4", {}, 8);
        const ids = async (since: number, limit = 10) =>
          (await outbox.undelivered(TENANT, since, limit)).map(({ id }) => id);
        expect(await ids(0)).toEqual(["out_4", "out_2", "out_1"]);
        expect(await ids(6)).toEqual(["out_4", "out_2"]);
        expect(await ids(0, 1)).toEqual(["out_4"]);
        expect(await outbox.undelivered(OTHER, 0, 10)).toEqual([]);
        await outbox.open(TENANT, reply({ id: "out_5", subject: "e", messages }));
        await outbox.mark(TENANT, "out_5", 0, { state: "shown", messageId: "m5" });
        await outbox.settle(TENANT, "out_5", { state: "delivered", at: 9 });
        expect(await ids(0)).toEqual(["out_2"]);
      }),
    );

    test(
      "a chat that moved takes its items and messages along",
      withStores(async ({ stores: { outbox } }) => {
        await outbox.open(TENANT, reply({ messages: [{ text: "x" }] }));
        await outbox.mark(TENANT, "out_1", 0, { state: "shown", messageId: "m1" });
        await outbox.moveChat(TENANT, "telegram", "42", "-100");
        const place = { channel: "telegram", chat: "-100", messageId: "m1" };
        expect(await outbox.ofMessage(TENANT, place)).toMatchObject({ id: "out_1", chat: "-100" });
      }),
    );

    test(
      "old settled items are dropped, and their messages with them",
      withStores(async ({ stores: { outbox } }) => {
        const messages = [{ text: "x" }];
        await outbox.open(TENANT, reply({ messages }));
        await outbox.open(TENANT, reply({ id: "out_2", subject: "b", messages }));
        await outbox.mark(TENANT, "out_1", 0, { state: "shown", messageId: "m1" });
        await outbox.settle(TENANT, "out_1", { state: "delivered", at: 2 });
        expect(await outbox.prune(TENANT, 2)).toBe(0);
        expect(await outbox.prune(TENANT, 3)).toBe(1);
        const place = { channel: "telegram", chat: "42", messageId: "m1" };
        expect(await outbox.ofMessage(TENANT, place)).toBeUndefined();
        expect(await outbox.get(TENANT, "out_2")).toBeDefined();
      }),
    );
  });

  describe(`Inbox: ${name}`, () => {
    test(
      "an event that was dealt with is known after a restart, in its own channel",
      withStores(async ({ stores: { inbox }, reopen }) => {
        expect(await inbox.seen(TENANT, "telegram", "1")).toBe(false);
        await inbox.note(TENANT, "telegram", "1", 5);
        const again = (await reopen()).inbox;
        expect(await again.seen(TENANT, "telegram", "1")).toBe(true);
        expect(await again.seen(TENANT, "discord", "1")).toBe(false);
        expect(await again.seen(OTHER, "telegram", "1")).toBe(false);
      }),
    );

    test(
      "the first plan for an event stays the plan, and does not make the event dealt with",
      withStores(async ({ stores: { inbox }, reopen }) => {
        expect(await inbox.plan(TENANT, "telegram", "1", "call_1", 5)).toBe("call_1");
        const again = (await reopen()).inbox;
        expect(await again.plan(TENANT, "telegram", "1", "call_2", 6)).toBe("call_1");
        expect(await again.seen(TENANT, "telegram", "1")).toBe(false);
        await again.note(TENANT, "telegram", "1", 7);
        expect(await again.seen(TENANT, "telegram", "1")).toBe(true);
      }),
    );

    test(
      "old events are dropped",
      withStores(async ({ stores: { inbox } }) => {
        await inbox.note(TENANT, "telegram", "1", 5);
        await inbox.note(TENANT, "telegram", "2", 6);
        expect(await inbox.prune(TENANT, 6)).toBe(1);
        expect(await inbox.seen(TENANT, "telegram", "1")).toBe(false);
        expect(await inbox.seen(TENANT, "telegram", "2")).toBe(true);
      }),
    );
  });

  test(
    `ChannelStates: ${name}: what a channel keeps is there after a restart`,
    withStores(async ({ stores: { channelStates }, reopen }) => {
      expect(await channelStates.read(TENANT, "telegram", "offset")).toBeUndefined();
      await channelStates.write(TENANT, "telegram", "offset", "1");
      await channelStates.write(TENANT, "telegram", "offset", "2");
      const again = (await reopen()).channelStates;
      expect(await again.read(TENANT, "telegram", "offset")).toBe("2");
      expect(await again.read(TENANT, "discord", "offset")).toBeUndefined();
      expect(await again.read(OTHER, "telegram", "offset")).toBeUndefined();
    }),
  );

  test(
    `Pairings: ${name}: one who asked is let in, is still known after a restart, and can be removed`,
    withStores(async ({ stores: { pairings }, reopen }) => {
      const asked = {
        channel: "telegram",
        senderId: "7",
        name: "Mia",
        state: "asked",
        codeHash: "h",
        expiresAt: 9,
        at: 1,
      } as const;
      await pairings.put(TENANT, asked);
      expect(await pairings.find(TENANT, "telegram", "7")).toEqual(asked);
      await pairings.put(TENANT, { channel: "telegram", senderId: "7", name: "Mia", state: "paired", at: 2 });
      const again = (await reopen()).pairings;
      const paired = { channel: "telegram", senderId: "7", name: "Mia", state: "paired", at: 2 };
      expect(await again.list(TENANT)).toEqual([paired]);
      expect(await again.list(OTHER)).toEqual([]);
      expect(await again.find(TENANT, "discord", "7")).toBeUndefined();
      expect(await again.remove(TENANT, "telegram", "7")).toBe(true);
      expect(await again.remove(TENANT, "telegram", "7")).toBe(false);
      expect(await again.find(TENANT, "telegram", "7")).toBeUndefined();
    }),
  );
}
