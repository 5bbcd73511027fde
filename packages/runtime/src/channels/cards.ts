import type { ChannelContent, ChannelMessage, ChannelPress } from "@elwood/core/channel/channel";
import { cardAsLine, cardAsText } from "@elwood/core/card/card-text";
import { placeOf } from "@elwood/core/card/outcome";
import { confirmWord } from "@elwood/core/card/confirm-word";
import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import { showLine } from "@elwood/core/base/show";
import type { Approval } from "@elwood/core/policy/approval";
import { toWireApproval, type WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { ApprovalEvent, Approvals } from "../gate/approvals.ts";
import type { ChannelStates, Outbox, OutboxItem } from "../ports/channel-ports.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import type { Clock, Ids, Log, Principal, RunStore } from "../ports/ports.ts";
import type { ChannelMethods, OpenChannel } from "./open-channel.ts";
import type { OutboxWorker } from "./outbox-worker.ts";

export interface CardsDeps {
  readonly tenant: string;
  readonly ledger: Pick<Ledger, "approvals">;
  readonly approvals: Pick<Approvals, "find">;
  readonly outbox: Outbox;
  readonly channelStates: ChannelStates;
  readonly runs: Pick<RunStore, "journal">;
  readonly worker: OutboxWorker;
  readonly methods: ChannelMethods;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly localTime: LocalTime;
  readonly channel: (name: string) => OpenChannel | undefined;
  readonly channels: () => readonly OpenChannel[];
  readonly pageLink: (path: string) => string;
  /** Shows in the chats of a run what was said on the way to the card. */
  readonly sayFirst: (runId: string) => Promise<void>;
}

const OWN_ID = "apr_";
const DIGEST_CHARS = 12;
const BUTTON = /^(ok|sure|no|op(\d{1,2})):([0-9a-z]{26}):([0-9a-f]{0,12})(?::([0-9a-z]{1,9}))?$/;
/** When something that destroys was asked about a second time is in the button, in seconds and in this base. */
const TIME_BASE = 36;
/** So many answers fit under a question; more are listed, and answered in words. */
const OPTIONS_MAX = 20;
const OPTION_CHARS_MAX = 60;
/** A bare "yes" allows nothing; it does not deny anything either. */
const AGREES =
  /^(?:y|yes|yep|yeah|ok|okay|sure|allow|allowed|approve|approved|go|go ahead|do it|ja|oui|si|sí|👍)[.! ]*$/iu;

/**
 * Approvals and questions in chats: cards with buttons.
 *
 * B1 A button counts only under a message it was sent with, for the approval and the digest that
 *    message showed, and pressed by somebody whose id is among the approvers. A message that may have
 *    arrived counts as one, since people see it before the platform confirms it.
 * B2 A request that a single message cannot show whole has no Allow, but a link to the page.
 * B3 What is decided anywhere changes every card of it, also after a restart.
 * B4 A decision goes through the same method as that of the page, with the rights of an approver.
 * B5 What destroys something takes two presses: the first asks whether the owner is sure, and counts
 *    for some minutes.
 */
export class Cards {
  readonly #deps: CardsDeps;
  /** Approvals that wait, by run. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor(deps: CardsDeps) {
    this.#deps = deps;
  }

  isWaiting(runId: string): boolean {
    return (this.#waiting.get(runId)?.size ?? 0) > 0;
  }

  /** Told of everything that is asked and decided, wherever. */
  heard({ kind, approval }: Pick<ApprovalEvent, "kind" | "approval">): void {
    const waiting = this.#waiting.get(approval.runId) ?? new Set();
    if (kind === "requested") this.#waiting.set(approval.runId, waiting.add(approval.id));
    else if (waiting.delete(approval.id) && waiting.size === 0) this.#waiting.delete(approval.runId);
    const done = kind === "requested" ? this.#post(approval) : this.#close(approval);
    done.catch((error: unknown) =>
      this.#deps.log.error("a card could not be shown or changed; it is at the next start", {
        approval: approval.id,
        error,
      }),
    );
  }

  /** B3. A card is there twice: where it was decided by now, the second has to say so too. */
  doubled({ kind, subject }: OutboxItem): void {
    if (kind !== "card") return;
    const { log } = this.#deps;
    const change = async (): Promise<void> => {
      const approval = await this.#approval(subject);
      if (approval && approval.status !== "pending") await this.#close(approval);
    };
    change().catch((error: unknown) =>
      log.error("a card could not be changed", { approval: subject, error }),
    );
  }

  /** After a start, or once a channel is open again: cards that are missing, or still say that something waits. */
  async recover(): Promise<void> {
    const { tenant, ledger, outbox } = this.#deps;
    for (const approval of await ledger.approvals(tenant, { status: "pending", limit: LIMITS.pageSizeMax })) {
      this.#waiting.set(approval.runId, (this.#waiting.get(approval.runId) ?? new Set()).add(approval.id));
      await this.#post(approval);
    }
    for (const item of await outbox.unclosed(tenant, LIMITS.pageSizeMax)) {
      if (item.kind !== "card") continue;
      const approval = await this.#approval(item.subject);
      if (!approval) await outbox.close(tenant, item.id);
      else if (approval.status !== "pending") await this.#close(approval);
    }
  }

  /** Shows the card of an approval in a chat, once. False where the channel is not open. */
  async show(approval: Approval, channelName: string, chat: string): Promise<boolean> {
    const { tenant, outbox, worker, clock, ids } = this.#deps;
    const channel = this.#deps.channel(channelName);
    if (!channel) return false;
    const messages = this.#render(channel, toWireApproval(approval));
    await outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: channelName,
      chat,
      kind: "card",
      subject: approval.id,
      runId: approval.runId,
      messages,
      at: clock.now(),
    });
    worker.wake(channelName, chat);
    return true;
  }

  /** The private chat in which an approver was last seen; cards of other people's runs go there. */
  async noteDirectChat(channel: string, senderId: string, chat: string): Promise<void> {
    const { tenant, channelStates } = this.#deps;
    const key = `direct:${senderId}`;
    if ((await channelStates.read(tenant, channel, key)) !== chat)
      await channelStates.write(tenant, channel, key, chat);
  }

  async #post(approval: Approval): Promise<void> {
    const { tenant, outbox, runs } = this.#deps;
    const owed = await outbox.about(tenant, "reply", approval.runId);
    if (owed.length === 0) return;
    await this.#deps.sayFirst(approval.runId);
    const [asked] = (await runs.journal(tenant, approval.runId)).steps;
    for (const { channel, chat } of owed)
      if (asked?.origin === "owner") await this.show(approval, channel, chat);
      else await this.#postToApprovers(approval, channel, chat);
  }

  /** Somebody else's run: its request is the owner's business, and theirs only that it waits. */
  async #postToApprovers(approval: Approval, channelName: string, chat: string): Promise<void> {
    const { tenant, channelStates, outbox, worker, clock, ids } = this.#deps;
    const channel = this.#deps.channel(channelName);
    if (!channel) return;
    let isHere = false;
    for (const senderId of channel.access().approverIds) {
      const known = await channelStates.read(tenant, channelName, `direct:${senderId}`);
      // Some platforms call a private chat by whom it is with.
      const direct = known ?? (senderId === chat ? chat : undefined);
      if (direct === undefined) continue;
      await this.show(approval, channelName, direct);
      isHere ||= direct === chat;
    }
    if (isHere) return;
    await outbox.open(tenant, {
      id: ids.next("outbox"),
      channel: channelName,
      chat,
      kind: "notice",
      subject: `waits:${approval.id}`,
      messages: channel.connection.render({ markdown: "This waits for the owner's approval.", plain: true }),
      at: clock.now(),
    });
    worker.wake(channelName, chat);
  }

  /** B3 */
  async #close(approval: Approval): Promise<void> {
    const { tenant, outbox, worker, clock } = this.#deps;
    for (const item of await outbox.about(tenant, "card", approval.id)) {
      const channel = this.#deps.channel(item.channel);
      if (!channel) continue;
      const markdown = this.#decidedText(toWireApproval(approval));
      const [decided] = channel.connection.render({ markdown, plain: true });
      if (!decided) continue;
      // Where a card was sent twice, both change.
      const messages = Array.from({ length: Math.max(1, item.messages.length) }, () => decided);
      await outbox.revise(tenant, item.id, { messages, at: clock.now() });
      await outbox.close(tenant, item.id);
      worker.wake(item.channel, item.chat);
    }
  }

  /** B5. The card asks whether the owner is sure, or asks from the start where it did so too long ago. */
  async #ask(channel: OpenChannel, item: OutboxItem, approvalId: string, again: boolean): Promise<void> {
    const { tenant, outbox, worker, clock } = this.#deps;
    const approval = await this.#approval(approvalId);
    if (!approval) return;
    const wire = toWireApproval(approval);
    const messages = again
      ? channel.connection.render(this.#content(wire, true, clock.now()))
      : this.#render(channel, wire);
    await outbox.revise(tenant, item.id, { messages, at: clock.now() });
    // It may have been decided elsewhere meanwhile.
    const now = await this.#approval(approvalId);
    if (now && now.status !== "pending") await this.#close(now);
    worker.wake(item.channel, item.chat);
  }

  /** As everybody may know it: what is decided at this moment is told once it is on disk. */
  #approval(approvalId: string): Promise<Approval | undefined> {
    return this.#deps.approvals.find(this.#deps.tenant, approvalId);
  }

  /** B2 */
  #render(channel: OpenChannel, wire: WireApproval) {
    const { connection } = channel;
    const whole = connection.render(this.#content(wire, true));
    // The question whether the owner is sure has to fit as well.
    const fits = whole.length === 1 && connection.render(this.#content(wire, true, 0)).length === 1;
    if (fits) return whole;
    return connection.render(this.#content(wire, false)).slice(0, 1);
  }

  /** With `asked`, the second question about something that destroys, asked then. */
  #content(wire: WireApproval, fits: boolean, asked?: number): ChannelContent {
    const { card, kind, approvalId, digest, options = [], confirm } = wire;
    const link = this.#deps.pageLink(`/approvals/${approvalId}`);
    const button = (what: string) =>
      `${what}:${approvalId.slice(OWN_ID.length)}:${digest.slice(0, DIGEST_CHARS)}`;
    if (kind !== "approval") {
      const listed =
        options.length <= OPTIONS_MAX && options.every(({ length }) => length <= OPTION_CHARS_MAX);
      const lines = listed ? [] : options.map((option, i) => `${i + 1}. ${option}`);
      const asks = kind === "question" ? wire.summary : `${card.title}\n${wire.reason}`;
      const how = options.length > 0 && listed ? [] : ["Answer by replying to this message."];
      return {
        markdown: fits
          ? [asks, ...lines, ...how].join("\n")
          : `${asks.slice(0, LIMITS.titleCharsMax)}…\n${link}`,
        plain: true,
        ...(listed && options.length > 0
          ? { buttons: options.map((words, i) => [{ words, data: button(`op${i}`) }]) }
          : { wantsReply: true }),
      };
    }
    const canAllow = fits && card.whole && card.allow.length > 0 && confirm === undefined;
    const text = fits ? cardAsText(card, Infinity) : card.title.slice(0, LIMITS.titleCharsMax);
    const deny = { words: "Deny", data: button("no"), tone: "bad" as const, note: "A note for Elwood" };
    const footer = `Reply to this message to deny it with a note.${canAllow ? ` More: ${link}` : ""}`;
    if (canAllow && card.destructive && asked !== undefined) {
      const at = Math.floor(asked / 1_000).toString(TIME_BASE);
      const sure = { words: `Yes, ${confirmWord(card) ?? "allow"}`, data: `${button("sure")}:${at}` };
      return {
        markdown: `${text}\nAre you sure?`,
        plain: true,
        footer,
        // Where Allow was, a press too many denies.
        buttons: [[deny], [sure]],
      };
    }
    const how = canAllow
      ? []
      : confirm !== undefined && fits && card.whole
        ? [`To allow it, reply to this message with the word ${confirm}.`]
        : [`It is too long to be shown here whole. To allow it, open ${link}`];
    return {
      markdown: [text, ...how].join("\n"),
      plain: true,
      footer,
      buttons: [
        [
          ...(canAllow
            ? [{ words: card.destructive ? "Allow…" : "Allow", data: button("ok"), tone: "good" as const }]
            : []),
          deny,
        ],
      ],
    };
  }

  /** "Allowed by you in Telegram, 14:02" */
  #decidedText({ card, kind, decided, summary }: WireApproval): string {
    const { by, at = 0, note } = decided;
    const what = kind === "question" ? summary : cardAsLine(card);
    const title = what.length > LIMITS.titleCharsMax ? `${what.slice(0, LIMITS.titleCharsMax - 1)}…` : what;
    if (decided.status === "expired") return `${title}\nExpired: nobody decided in time, so it was not done.`;
    if (by?.kind !== "owner") return `${title}\nNo longer needed: its run is over.`;
    const who = by.id === "owner" ? "you" : showLine(by.id);
    const when = this.#deps.localTime.format(at).slice(-"14:02".length);
    const how = kind !== "approval" ? "Answered" : decided.status === "approved" ? "Allowed" : "Denied";
    const said =
      note === undefined || note === "" ? "" : `: “${showLine(note).slice(0, LIMITS.titleCharsMax)}”`;
    return `${title}\n${how} by ${who}${placeOf(by.surface)}, ${when}${said}`;
  }

  /** B1. Answers with what the presser is told. */
  async press(channel: OpenChannel, press: ChannelPress, owner: Principal | undefined): Promise<string> {
    const { tenant, outbox } = this.#deps;
    const { name } = channel.definition;
    const [, what = "", option = "", tail = "", digest = "", at] = BUTTON.exec(press.data) ?? [];
    const place = { channel: name, chat: press.chat.id, messageId: press.messageId };
    const approvalId = `${OWN_ID}${tail}`;
    const item = (await outbox.ofMessage(tenant, place)) ?? (await this.#adopted(place, approvalId));
    if (item?.kind !== "card" || item.subject !== approvalId)
      return "This button does not belong to anything that waits. Nothing was done.";
    if (!owner) return "Only the owner can decide this. Nothing was done.";
    const approval = await this.#approval(approvalId);
    if (!approval || approval.digest.slice(0, DIGEST_CHARS) !== digest)
      return "What this button was for has changed. Nothing was done; look at the newest card.";
    if (approval.status !== "pending") return lastLine(this.#decidedText(toWireApproval(approval)));
    const who = { principal: owner, surface: name };
    const { destructive } = toWireApproval(approval).card;
    if (what === "ok" && destructive) {
      await this.#ask(channel, item, approvalId, true);
      return "Nothing was done yet. Press the other button if you are sure.";
    }
    if (what === "sure" && !this.#isFresh(at)) {
      await this.#ask(channel, item, approvalId, false);
      return "That was a while ago. Nothing was done; press Allow again.";
    }
    if (what === "ok" || what === "sure")
      return this.#decided(await this.#deps.methods.call(who, "exec.approve", { approvalId }));
    if (what === "no") {
      const reason = press.note?.trim() ?? "";
      const params = reason === "" ? { approvalId } : { approvalId, reason };
      return this.#decided(await this.#deps.methods.call(who, "exec.deny", params));
    }
    const answer = approval.card.options?.[Number(option)];
    if (answer === undefined) return "This is no answer to the question. Nothing was done.";
    return this.#decided(
      await this.#deps.methods.call(who, "owner.answer", { questionId: approvalId, answer }),
    );
  }

  #isFresh(at: string | undefined): boolean {
    const agoMs = this.#deps.clock.now() - Number.parseInt(at ?? "", TIME_BASE) * 1_000;
    return agoMs >= 0 && agoMs <= LIMITS.surePressMs;
  }

  /** The card whose sending had no answer, and which is there after all: its button is how Elwood learns of it. */
  async #adopted(
    place: { readonly channel: string; readonly chat: string; readonly messageId: string },
    approvalId: string,
  ): Promise<OutboxItem | undefined> {
    const { tenant, outbox } = this.#deps;
    const cards = await outbox.about(tenant, "card", approvalId);
    const card = cards.find(({ channel, chat }) => channel === place.channel && chat === place.chat);
    const doubted = card?.messages.some(
      ({ state, messageId, repeated }) =>
        repeated || (messageId === undefined && (state === "sending" || state === "unknown")),
    );
    return card && doubted ? outbox.adopt(tenant, card.id, place.messageId) : undefined;
  }

  /** A message that answers a card; undefined where it answers none that waits, so that it is a message like any other. */
  async reply(channel: OpenChannel, message: ChannelMessage, owner: Principal): Promise<string | undefined> {
    const { tenant, outbox, methods } = this.#deps;
    const { name } = channel.definition;
    if (message.replyTo === undefined) return undefined;
    const place = { channel: name, chat: message.chat.id, messageId: message.replyTo };
    const item = await outbox.ofMessage(tenant, place);
    const approval = item?.kind === "card" ? await this.#approval(item.subject) : undefined;
    if (approval?.status !== "pending") return undefined;
    const approvalId = approval.id;
    const text = message.text.trim();
    const who = { principal: owner, surface: name };
    if (text === "") return "An answer needs words. Nothing was done.";
    if (approval.card.kind !== "approval")
      return this.#decided(await methods.call(who, "owner.answer", { questionId: approvalId, answer: text }));
    const { confirm } = approval.card;
    if (confirm !== undefined && text.toUpperCase() === confirm.toUpperCase())
      return this.#decided(await methods.call(who, "exec.approve", { approvalId, confirm: text }));
    if (AGREES.test(text))
      return confirm === undefined
        ? "To allow it, press Allow under the request. Words never allow anything. Nothing was decided."
        : `To allow it, reply with the word ${confirm}. Nothing was decided.`;
    return this.#decided(await methods.call(who, "exec.deny", { approvalId, reason: text }));
  }

  #decided(
    result:
      | {
          readonly ok: true;
          readonly value: { readonly ok: boolean; readonly decided: WireApproval["decided"] };
        }
      | { readonly ok: false; readonly error: { readonly message: string } },
  ): string {
    if (!result.ok) return result.error.message;
    const { ok, decided } = result.value;
    const words = {
      approved: "Allowed.",
      answered: "Answered.",
      denied: "Denied.",
      expired: "Expired.",
      pending: "Still open.",
    };
    return ok ? words[decided.status] : `It was decided before: ${words[decided.status].toLowerCase()}`;
  }
}

function lastLine(text: string): string {
  return text.split("\n").at(-1) ?? text;
}
