import { parseBaseUrl } from "@elwood/core/net/base-url";
import { z } from "zod";
import { group, listOf, words, yesOrNo } from "./leaves.ts";

/** Chat services. Each has a token, the ids that speak as the owner, and those that may write. */
export const channelGroups = {
  telegram: () =>
    group({
      token: text().optional(),
      allowedChatIds: listOf(chatId(), "a list of chat ids, for example [123456789]").optional(),
      approverIds: listOf(personId(), "a list of ids, for example [123456789]").optional(),
      /** Another server of the Bot API than Telegram's own. */
      apiRoot: address("an address such as http://127.0.0.1:8081").optional(),
    }).optional(),
  discord: () =>
    group({
      token: text().optional(),
      messageContent: yesOrNo().optional(),
      allowedChatIds: listOf(chatId(), "a list of channel ids").optional(),
      approverIds: listOf(personId(), "a list of ids, for example [123456789012345678]").optional(),
      apiRoot: address("an address such as http://127.0.0.1:8081").optional(),
      gatewayUrl: words("an address such as ws://127.0.0.1:8082").optional(),
    }).optional(),
};

function text() {
  return z.string({ error: "must be text" });
}

function address(what: string) {
  return words(what).transform((written, context) => {
    const parsed = parseBaseUrl(written);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.error });
    return z.NEVER;
  });
}

/** Chat ids are often written as numbers; they are names, and too long for arithmetic. */
function chatId() {
  return id("a chat id", /^-?\d{1,20}$/, "must be a chat id: digits, with - before a group's");
}

function personId() {
  return id("a person's id", /^\d{1,20}$/, "must be a person's id: digits, not a name");
}

function id(what: string, pattern: RegExp, error: string) {
  return z.preprocess(
    (value) => (typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value),
    words(what).regex(pattern, { error }),
  );
}
