/** @import { GatewayLink } from "./gateway-link.js" */
import { RequestError } from "./gateway-link.js";
import { read, write } from "./tab-storage.js";

const ENTRIES_MAX = 20;
const KEY_BYTES = 16;

/**
 * A message on its way. Until a session exists on the gateway, `sessionKey` is a name of
 * this page's own making.
 *
 * @typedef {object} Entry
 * @property {string} key  the idempotency key: sent twice, the message still counts once
 * @property {string} sessionKey
 * @property {string} text
 */

/**
 * @typedef {object} OutboxListener
 * @property {(own: string, sessionKey: string) => void} created  the session now exists under this key
 * @property {(entry: Entry, runId: string) => void} accepted  the message is safe with the gateway
 * @property {(entry: Entry, message: string) => void} refused  it was not taken, and is not tried again
 */

/**
 * Messages that the gateway has not confirmed yet.
 *
 * O1 A message leaves only when the gateway said that it is durable, or refused it. A
 *    broken connection or a reload in between sends it again, under the same key.
 * O2 Messages go in the order they were written.
 */
export class Outbox {
  #flushing = false;

  /** @param {OutboxListener} listener */
  constructor(listener) {
    this.listener = listener;
    this.entries = load();
  }

  /**
   * @param {string} sessionKey
   * @param {string} text
   * @returns {Entry | string} the entry, or why it was not taken
   */
  add(sessionKey, text) {
    if (this.entries.length >= ENTRIES_MAX) {
      return `${ENTRIES_MAX} messages already wait to be sent. This one stays in the box.`;
    }
    const entry = { key: randomName("web-"), sessionKey, text };
    this.entries.push(entry);
    this.#save();
    return entry;
  }

  /**
   * Sends what waits; call it when the gateway can be reached.
   *
   * @param {GatewayLink} link
   */
  async flush(link) {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      for (let entry = this.entries[0]; entry; entry = this.entries[0]) await this.#send(link, entry);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      // The connection broke: everything stays, and the next one takes it up.
    } finally {
      this.#flushing = false;
    }
  }

  /**
   * @param {GatewayLink} link
   * @param {Entry} entry
   */
  async #send(link, entry) {
    try {
      if (isOwnName(entry.sessionKey)) await this.#createSession(link, entry.sessionKey);
      const { sessionKey, text: message, key: idempotencyKey } = entry;
      const { runId } = await link.request("chat.send", { sessionKey, message, idempotencyKey });
      this.#remove(entry);
      this.listener.accepted(entry, runId);
    } catch (error) {
      if (!(error instanceof RequestError) || error.reason === "LOST" || error.reason === "STOPPING")
        throw error;
      this.#remove(entry);
      this.listener.refused(entry, error.message);
    }
  }

  /**
   * @param {GatewayLink} link
   * @param {string} own
   */
  async #createSession(link, own) {
    const { sessionKey } = await link.request("sessions.create", {});
    for (const entry of this.entries) if (entry.sessionKey === own) entry.sessionKey = sessionKey;
    this.#save();
    this.listener.created(own, sessionKey);
  }

  /** @param {Entry} entry */
  #remove(entry) {
    this.entries = this.entries.filter((each) => each !== entry);
    this.#save();
  }

  #save() {
    // Where the tab cannot keep them, they still wait in memory.
    write("outbox", this.entries.length === 0 ? undefined : JSON.stringify(this.entries));
  }
}

export function newOwnName() {
  return randomName("new:");
}

/** @param {string} sessionKey */
export function isOwnName(sessionKey) {
  return sessionKey.startsWith("new:");
}

/** @returns {Entry[]} */
function load() {
  const kept = read("outbox");
  // Only this page writes there, and a tab keeps what it was given.
  return kept === undefined ? [] : /** @type {Entry[]} */ (JSON.parse(kept));
}

/**
 * crypto.randomUUID is missing where the page comes over plain HTTP from another machine.
 *
 * @param {string} prefix
 */
function randomName(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
