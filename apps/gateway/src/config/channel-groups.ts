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
      allowedChatIds: listOf(chatId(), 'a list of ids, for example ["123456789012345678"]').optional(),
      approverIds: listOf(personId(), 'a list of ids, for example ["123456789012345678"]').optional(),
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

/** Chat ids are often written as numbers; they are names. A number that is too long has lost its last digits. */
function chatId() {
  return id("a chat id", /^-?\d{1,20}$/, "must be a chat id: digits, with - before a group's");
}

function personId() {
  return id("a person's id", /^\d{1,20}$/, "must be a person's id: digits, not a name");
}

const TOO_LONG = "It has too many digits for a number, and the last of them are lost. Write it in quotes.";

function id(what: string, pattern: RegExp, error: string) {
  return z.preprocess(
    (value, context) => {
      if (typeof value !== "number") return value;
      if (Number.isSafeInteger(value)) return String(value);
      context.addIssue({ code: "custom", params: { sentence: true }, message: TOO_LONG });
      return z.NEVER;
    },
    words(what).regex(pattern, { error }),
  );
}
