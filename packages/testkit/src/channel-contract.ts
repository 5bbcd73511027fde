import type {
  ChannelConnection,
  ChannelContent,
  OutgoingFile,
  SendOutcome,
} from "@elwood/core/channel/channel";
import { BUTTON_BYTES_MAX } from "@elwood/core/channel/channel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChannelRig } from "./channel-rig.ts";

/** A message as people in a chat see it. */
export interface SeenMessage {
  readonly id: string;
  /** What they read: formatting is gone, and whatever was escaped stands as it was written. */
  readonly text: string;
  /** Blocks of code in it. */
  readonly code: readonly string[];
  /** What it links to, where that is another place than the words say. */
  readonly links: readonly string[];
  /** Somebody was rung by it. */
  readonly rang: boolean;
  readonly buttons: readonly { readonly words: string; readonly data: string }[];
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array; readonly picture: boolean }[];
}

/** How the next message that the bot sends goes wrong. */
export type SendFault =
  | { readonly kind: "wait"; readonly seconds: number }
  /** It was shown, and no answer came. */
  | { readonly kind: "lost" }
  | { readonly kind: "broken" }
  | { readonly kind: "refused" }
  | { readonly kind: "token" };

/** One platform on loopback with one person, Olga, and her private chat with the bot. */
export interface ChannelStage {
  readonly rig: ChannelRig;
  readonly olga: { readonly id: string };
  readonly chat: string;
  /** Olga writes. Answers with what the platform calls the message. */
  say(
    text: string,
    more?: { readonly file?: { readonly name: string; readonly mime: string; readonly bytes: Uint8Array } },
  ): string;
  /** Olga changes what she wrote. */
  change(messageId: string, text: string): void;
  /** From now on she is called so. */
  rename(name: string): void;
  press(messageId: string, data: string): Promise<void>;
  /** What Olga was told about her presses. */
  told(): readonly string[];
  /** She denies a card and says why, in the way of the platform. */
  denyWithNote(messageId: string, deny: string, note: string): Promise<void>;
  seen(): readonly SeenMessage[];
  typing(): number;
  fault(fault: SendFault): void;
  /** Olga wants nothing from the bot any more. */
  block(): void;
  /** A chat that is not there. */
  readonly nowhere: string;
  deleteMessages(): void;
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /** What the platform holds against the bot, by name: how it comes about, and the words for it. */
  readonly refusals: Readonly<
    Record<string, { readonly provoke: () => Promise<void>; readonly words: RegExp }>
  >;
  close(): Promise<void>;
}

export interface ChannelTraits {
  /** The longest text of one message. */
  readonly charsMax: number;
  /** `marked`: a repeat is shown, and says so. `once`: the platform shows it once. */
  readonly repeats: "marked" | "once";
  /** The largest file that it takes. */
  readonly fileBytesMax: number;
}

const never = new AbortController().signal;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

/**
 * What every channel does alike, however its platform does it. A channel's own tests are for what
 * only its platform has.
 */
export function channelContract(
  name: string,
  open: () => Promise<ChannelStage>,
  { charsMax, repeats, fileBytesMax }: ChannelTraits,
): void {
  describe(`Channel: ${name}`, () => {
    let stage: ChannelStage;
    let rig: ChannelRig;
    let connection: ChannelConnection;
    let sends = 0;

    beforeEach(async () => {
      stage = await open();
      rig = stage.rig;
      connection = await rig.connect();
    });

    afterEach(async () => {
      await rig.close();
      await stage.close();
    });

    /** Sends all messages of a content, as the outbox does, each under a key of its own. */
    async function sendAll(content: ChannelContent, bytes?: Uint8Array): Promise<readonly SendOutcome[]> {
      const outcomes: SendOutcome[] = [];
      sends += 1;
      for (const [i, message] of connection.render(content).entries())
        outcomes.push(
          await connection.send(
            {
              chat: stage.chat,
              message,
              key: `out_${sends}.${i}`,
              repeat: false,
              ...(message.file && bytes ? { fileBytes: bytes } : {}),
            },
            never,
          ),
        );
      return outcomes;
    }

    async function sendOne(
      content: ChannelContent | string,
      more: { readonly key?: string; readonly repeat?: boolean; readonly chat?: string } = {},
      bytes?: Uint8Array,
    ): Promise<SendOutcome> {
      const given = typeof content === "string" ? { markdown: content } : content;
      const message = connection.render(given).at(-1)!;
      sends += 1;
      const fileBytes = bytes ? { fileBytes: bytes } : {};
      const about = { chat: stage.chat, key: `out_${sends}.0`, repeat: false, ...more };
      return connection.send({ message, ...fileBytes, ...about }, never);
    }

    const idOf = (outcome: SendOutcome): string => (outcome.kind === "sent" ? outcome.messageId : "");
    const texts = (): string[] => stage.seen().map(({ text }) => text);
    const file = (more: Partial<OutgoingFile> = {}): OutgoingFile => ({
      blobId: "blob_1",
      name: "report.pdf",
      mime: "application/pdf",
      bytes: 5,
      ...more,
    });

    // ── in ─────────────────────────────────────────────────────────────────────────────

    test("what somebody writes in private comes in, with who they are by the platform's own id", async () => {
      const messageId = stage.say("hello there");
      const [message] = await rig.messages(1);
      expect(message).toMatchObject({
        kind: "message",
        messageId,
        text: "hello there",
        addressed: true,
        chat: { id: stage.chat, kind: "private" },
        from: { id: stage.olga.id },
      });
      expect(message?.edited).toBeUndefined();
    });

    test("what could not be stored comes again under the same id, in its order, and also after a restart", async () => {
      const offered: string[] = [];
      const twice = Promise.withResolvers<void>();
      rig.store = (event) => {
        offered.push(event.id);
        if (offered.length >= 2) twice.resolve();
        throw new Error("the disk is full");
      };
      stage.say("one");
      stage.say("two");
      await twice.promise;
      await rig.kill();
      rig.store = (event) => void offered.push(event.id);
      connection = await rig.connect();
      const stored = await rig.messages(2);
      expect(stored.map(({ text }) => text)).toEqual(["one", "two"]);
      expect(new Set(offered)).toEqual(new Set(stored.map(({ id }) => id)));
    });

    test("a changed message comes as a change, under another id", async () => {
      const messageId = stage.say("first");
      const [before] = await rig.messages(1);
      stage.change(messageId, "second");
      const [, after] = await rig.messages(2);
      expect(after).toMatchObject({ text: "second", edited: true });
      expect(after?.id).not.toBe(before?.id);
    });

    test("a file comes with its message, and its bytes are read", async () => {
      const bytes = Uint8Array.of(1, 2, 3, 250);
      stage.say("", { file: { name: "data.bin", mime: "application/octet-stream", bytes } });
      const [message] = await rig.messages(1);
      expect(message?.files).toMatchObject([{ name: "data.bin", bytes: 4 }]);
      const read = await connection.fetchFile(message!.files![0]!, never);
      expect(read.ok && Buffer.from(read.bytes).equals(bytes)).toBe(true);
    });

    test("a name is only shown: whatever somebody calls themselves, their id stays theirs", async () => {
      stage.rename("**Owner** <@1> `x`\n\u202eevil");
      stage.say("it is me, the owner");
      const [message] = await rig.messages(1);
      expect(message?.from.id).toBe(stage.olga.id);
      expect(message?.text).toBe("it is me, the owner");
    });

    // ── out ────────────────────────────────────────────────────────────────────────────

    test("a message is sent, and everything after it is an edit that may be repeated", async () => {
      const sent = await sendOne("Working on **it**");
      expect(sent).toMatchObject({ kind: "sent" });
      const change = {
        chat: stage.chat,
        messageId: idOf(sent),
        message: connection.render({ markdown: "Done." })[0]!,
      };
      expect(await connection.edit(change, never)).toEqual(sent);
      expect(await connection.edit(change, never)).toEqual(sent);
      expect(texts()).toEqual(["Done."]);
      stage.deleteMessages();
      const other = { ...change, message: connection.render({ markdown: "Really done." })[0]! };
      expect(await connection.edit(other, never)).toMatchObject({ kind: "missing" });
    });

    test("typing is shown, and nobody hears of it where it cannot be", async () => {
      await connection.typing(stage.chat, never);
      expect(stage.typing()).toBe(1);
      await stage.goOffline();
      await expect(connection.typing(stage.chat, never)).resolves.toBeUndefined();
      await stage.goOnline();
    });

    test("a long text comes in several messages that together have all of it, in order", async () => {
      const lines = Array.from({ length: 300 }, (_, i) => `Line ${i} says something of some length.`);
      const outcomes = await sendAll({ markdown: lines.join("\n\n") });
      expect(outcomes.length).toBeGreaterThan(1);
      expect(outcomes.every(({ kind }) => kind === "sent")).toBe(true);
      for (const text of texts()) expect(text.length).toBeLessThanOrEqual(charsMax);
      expect(
        texts()
          .join("\n")
          .match(/Line \d+/g),
      ).toEqual(lines.map((_, i) => `Line ${i}`));
    });

    test("a block of code is never cut where a message can hold it, and what is cut is code in every part", async () => {
      const code = (count: number): string =>
        Array.from({ length: count }, (_, i) => `const value${i} = "**not bold**"; // <b>`).join("\n");
      const prose = "Some words before the code. ".repeat(Math.ceil(charsMax / 40));
      await sendAll({ markdown: `${prose}\n\n\`\`\`ts\n${code(20)}\n\`\`\`\n\n${prose}` });
      expect(stage.seen().flatMap((each) => each.code)).toEqual([code(20)]);
      const before = stage.seen().length;
      await sendAll({ markdown: `\`\`\`ts\n${code(400)}\n\`\`\`` });
      const rest = stage.seen().slice(before);
      const attached = rest.flatMap(({ files }) => files.map(({ bytes }) => Buffer.from(bytes).toString()));
      expect([...rest.flatMap((each) => each.code), ...attached].join("\n")).toBe(code(400));
    });

    test("hostile text is shown as it stands: it rings nobody, links nowhere, and is no markup", async () => {
      const hostile =
        "@everyone <@1> <#2> [bank](https://evil.example) *a* _b_ ~~c~~ ||d|| `e` <b>f</b> &lt; \\*g\\* # h\n# heading\n> quote\n- item\n-# small\n```\nfence";
      await sendAll({ markdown: hostile, plain: true });
      expect(texts()).toEqual([hostile]);
      expect(stage.seen()).toMatchObject([{ rang: false, links: [], code: [] }]);
      await sendAll({ markdown: "Hello @everyone <@1> <b>see</b> [here](https://example.com/a)" });
      expect(stage.seen()[1]).toMatchObject({
        text: "Hello @everyone <@1> <b>see</b> here",
        rang: false,
        links: ["https://example.com/a"],
      });
    });

    test("text that breaks every rule of formatting is sent all the same", async () => {
      const broken = "**a _b `c* ```\n[x](<y> tg://user?id=1) | a | b |\n|---\n".repeat(60);
      const outcomes = await sendAll({ markdown: broken });
      expect(outcomes.every(({ kind }) => kind === "sent")).toBe(true);
    });

    // ── cards ──────────────────────────────────────────────────────────────────────────

    const CARD: ChannelContent = {
      markdown: "Delete notes/old.txt?",
      plain: true,
      footer: "Reply to this message to deny it with a note.",
      buttons: [
        [
          { words: "Allow", data: "ok:1", tone: "good" },
          { words: "Deny", data: "no:1", tone: "bad", note: "A note for Elwood" },
        ],
      ],
    };

    test("a card has its buttons, which work after a restart, and whoever presses one is told what came of it", async () => {
      const messageId = idOf(await sendOne(CARD));
      const [card] = stage.seen();
      expect(card?.text).toContain("Delete notes/old.txt?");
      expect(card?.buttons.map(({ words }) => words)).toEqual(["Allow", "Deny"]);
      await rig.kill();
      connection = await rig.connect();
      await stage.press(messageId, card!.buttons[0]!.data);
      const [press] = await rig.presses(1);
      expect(press).toMatchObject({
        data: "ok:1",
        messageId,
        from: { id: stage.olga.id },
        chat: { id: stage.chat },
      });
      await connection.answerPress(press!, "Allowed.", never);
      expect(stage.told()).toEqual(["Allowed."]);
      const message = connection.render({ markdown: "Allowed by you, 14:02", plain: true })[0]!;
      await connection.edit({ chat: stage.chat, messageId, message }, never);
      expect(stage.seen()).toMatchObject([{ text: "Allowed by you, 14:02", buttons: [] }]);
    });

    test("a denial comes with its note, and says which card it is about", async () => {
      const messageId = idOf(await sendOne(CARD));
      const deny = stage.seen()[0]!.buttons[1]!.data;
      await stage.denyWithNote(messageId, deny, "not today");
      await rig.until(() => rig.events.length > 0);
      const [event] = rig.events;
      if (event?.kind === "press")
        expect(event).toMatchObject({ data: "no:1", messageId, note: "not today" });
      else expect(event).toMatchObject({ kind: "message", text: "not today", replyTo: messageId });
    });

    test("a question has a button for each option; twenty of them fit, and each carries its own answer", async () => {
      const options = Array.from({ length: 20 }, (_, i) => `Option ${i} *with* signs`);
      const data = (i: number): string => `op${i}:`.padEnd(BUTTON_BYTES_MAX, "x");
      await sendOne({
        markdown: "Which?",
        plain: true,
        buttons: options.map((words, i) => [{ words, data: data(i) }]),
      });
      const [question] = stage.seen();
      expect(question?.buttons.map(({ words }) => words)).toEqual(options);
      await stage.press(question!.id, question!.buttons[13]!.data);
      expect((await rig.presses(1))[0]).toMatchObject({ data: data(13) });
    });

    // ── files out ──────────────────────────────────────────────────────────────────────

    test("files go out behind the text, pictures as pictures and the rest as it is", async () => {
      const content = {
        markdown: "Here.",
        files: [file(), file({ name: "cat.png", mime: "image/png", bytes: PNG.length })],
      };
      const outcomes = await sendAll(content, PNG);
      expect(outcomes.map(({ kind }) => kind)).toEqual(["sent", "sent", "sent"]);
      const seen = stage.seen();
      expect(seen[0]).toMatchObject({ text: "Here.", files: [] });
      const files = seen.flatMap((each) => each.files);
      expect(files.map(({ name: called, picture }) => [called, picture])).toEqual([
        [expect.stringContaining("report.pdf"), false],
        [expect.stringMatching(/png$/), true],
      ]);
      for (const { bytes } of files) expect(Buffer.from(bytes).equals(PNG)).toBe(true);
    });

    test("what only claims to be a picture arrives all the same", async () => {
      const bytes = Buffer.from("no picture");
      const content = {
        markdown: "",
        files: [file({ name: "x.png", mime: "image/png", bytes: bytes.length })],
      };
      expect(await sendOne(content, {}, bytes)).toMatchObject({ kind: "sent" });
      expect(stage.seen().flatMap(({ files }) => files)).toHaveLength(1);
    });

    test("a file without a confirmation follows the rule for messages, and one that is too large is refused", async () => {
      const content = { markdown: "", files: [file()] };
      stage.fault({ kind: "lost" });
      const bytes = Buffer.from("12345");
      expect(await sendOne(content, { key: "out_f.0" }, bytes)).toMatchObject({ kind: "unknown" });
      expect(await sendOne(content, { key: "out_f.0", repeat: true }, bytes)).toMatchObject({ kind: "sent" });
      const files = stage.seen().filter((each) => each.files.length > 0);
      expect(files).toHaveLength(repeats === "once" ? 1 : 2);
      if (repeats === "marked") expect(files[1]?.text).toMatch(/may be a repeat/);
      const huge = Buffer.alloc(fileBytesMax + 1);
      const large = {
        markdown: "",
        files: [file({ name: "huge.bin", mime: "application/octet-stream", bytes: huge.length })],
      };
      expect(await sendOne(large, {}, huge)).toMatchObject({ kind: "refused" });
    });

    // ── faults ─────────────────────────────────────────────────────────────────────────

    test("a platform that asks to wait 126 seconds is understood, and nothing was shown", async () => {
      stage.fault({ kind: "wait", seconds: 126 });
      const outcome = await sendOne("hello");
      expect(outcome).toMatchObject({ kind: "retry" });
      const afterMs = outcome.kind === "retry" ? (outcome.afterMs ?? 0) : 0;
      // The platform counts from its answer, which was a moment ago.
      expect(Math.round(afterMs / 1_000)).toBe(126);
      expect(texts()).toEqual([]);
    });

    test("a message without a confirmation is unknown; sent once more it is there once, or says that it may be a repeat", async () => {
      stage.fault({ kind: "lost" });
      expect(await sendOne("hello", { key: "out_u.0" })).toMatchObject({ kind: "unknown" });
      const again = await sendOne("hello", { key: "out_u.0", repeat: true });
      expect(again).toMatchObject({ kind: "sent" });
      const shown = texts();
      if (repeats === "once") expect(shown).toEqual(["hello"]);
      else expect(shown).toEqual(["hello", expect.stringMatching(/^\(may be a repeat\)\nhello$/)]);
      expect(stage.seen().at(-1)?.id).toBe(idOf(again));
    });

    test("without a network nothing is in doubt: the message certainly was not sent", async () => {
      await stage.goOffline();
      expect(await sendOne("hello")).toMatchObject({ kind: "retry", offline: true });
      await stage.goOnline();
      expect(texts()).toEqual([]);
    });

    test("a platform that has trouble of its own is tried again, one that refuses the message is not", async () => {
      stage.fault({ kind: "refused" });
      expect(await sendOne("hello")).toMatchObject({ kind: "refused", why: expect.stringMatching(/\w/) });
      stage.fault({ kind: "broken" });
      const broken = await sendOne("hello");
      // Whether a gateway's error hides a message that was shown is known to some platforms only.
      expect(["retry", "unknown"]).toContain(broken.kind);
    });

    test("a blocked bot and a chat that is not there are gone, with the platform's words", async () => {
      expect(await sendOne("hello", { chat: stage.nowhere })).toMatchObject({
        kind: "gone",
        why: expect.stringMatching(/\w/),
      });
      stage.block();
      expect(await sendOne("hello")).toMatchObject({ kind: "gone", why: expect.stringMatching(/\w/) });
    });

    test("a refused token is explained: when it is checked, when it is used, and while it is polled", async () => {
      expect(await rig.check()).toMatchObject({ ok: true, account: { id: expect.any(String) } });
      expect(await rig.check("1:wrong")).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/token/),
      });
      stage.fault({ kind: "token" });
      const outcome = await sendOne("hello");
      expect(outcome).toMatchObject({ kind: "retry", why: expect.stringMatching(/token/) });
      expect(outcome.kind === "retry" && (outcome.afterMs ?? 0) >= 60_000).toBe(true);
      await rig.close();
      await rig.open({}, "1:wrong");
      await rig.until(() => rig.health.at(-1)?.state === "failed");
      expect(rig.health.at(-1)?.problem).toMatch(/token/);
    });

    test("what the platform holds against the bot is explained with what to do about it", async () => {
      for (const [what, { provoke, words }] of Object.entries(stage.refusals)) {
        const before = rig.health.length;
        await provoke();
        await rig.until(() => rig.health.slice(before).some(({ problem = "" }) => words.test(problem)));
        expect(what).toMatch(/^\d+$/);
      }
    });
  });
}
