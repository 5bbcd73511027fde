import { channelContract, type ChannelStage, type SendFault } from "@elwood/testkit/channel-contract";
import { ChannelRig } from "@elwood/testkit/channel-rig";
import { TelegramServer, type TelegramFate, type TelegramMessage } from "@elwood/testkit/telegram-server";
import telegram from "./index.ts";

const CHAT = 100;
const NOWHERE = 999;

function fateOf(fault: SendFault): TelegramFate {
  switch (fault.kind) {
    case "wait":
      return {
        error: 429,
        description: `Too Many Requests: retry after ${fault.seconds}`,
        parameters: { retry_after: fault.seconds },
      };
    case "lost":
      return { cut: "after" };
    case "broken":
      return { error: 502, description: "Bad Gateway" };
    case "refused":
      return { error: 400, description: "Bad Request: message is too long" };
    case "token":
      return { error: 401, description: "Unauthorized" };
    default:
      return fault satisfies never;
  }
}

async function openStage(): Promise<ChannelStage> {
  const server = await new TelegramServer().start();
  const rig = new ChannelRig(telegram, () => ({ settings: { apiRoot: server.url }, token: server.token }));
  server.closedChats.set(NOWHERE, { error: 400, description: "Bad Request: chat not found" });
  let olga = { id: CHAT, first_name: "Olga" };
  let port = 0;
  let files = 0;
  const privateChat = { id: CHAT, type: "private" };
  return {
    rig,
    olga: { id: String(CHAT) },
    chat: String(CHAT),
    say: (text, { file } = {}) => {
      if (!file) return String(server.say(olga, text));
      files += 1;
      const file_id = `f${files}`;
      server.files.set(file_id, { path: `documents/${file_id}`, bytes: file.bytes });
      const { name: file_name, mime: mime_type, bytes } = file;
      const document = { file_id, file_unique_id: file_id, file_name, mime_type, file_size: bytes.length };
      return String(server.say(olga, text, { document }));
    },
    change: (messageId, text) => {
      const from = { is_bot: false, ...olga };
      const message_id = Number(messageId);
      server.update({ edited_message: { message_id, date: 1, edit_date: 5, from, chat: privateChat, text } });
    },
    rename: (first_name) => {
      olga = { ...olga, first_name };
    },
    press: async (messageId, data) => {
      server.press(olga, { message_id: Number(messageId), chat: CHAT }, data);
    },
    told: () => server.pressAnswers.map(({ text }) => text),
    denyWithNote: async (messageId, _deny, note) => {
      const reply_to_message = { message_id: Number(messageId), date: 1, chat: privateChat };
      server.say(olga, note, { reply_to_message });
    },
    seen: () => server.messages.filter(({ chat }) => chat === CHAT).map(seen),
    typing: () => server.requestsOf("sendChatAction").length,
    fault: (fault) => {
      for (const method of ["sendMessage", "sendDocument"]) server.fate(method, fateOf(fault));
    },
    block: () => {
      server.closedChats.set(CHAT, { error: 403, description: "Forbidden: bot was blocked by the user" });
    },
    nowhere: String(NOWHERE),
    deleteMessages: () => {
      server.messages.length = 0;
    },
    goOffline: async () => {
      port = await server.disconnect();
    },
    goOnline: async () => {
      await server.start(port);
    },
    refusals: {
      409: {
        words: /\(409\).*Stop that program, or make a bot of its own/,
        provoke: async () => {
          const polls = server.requestsOf("getUpdates").length;
          const other = fetch(`${server.url}/bot${server.token}/getUpdates`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ timeout: 50 }),
          });
          // It ends once the channel asks again, or with the server.
          other.catch(() => undefined);
          await rig.until(() => server.requestsOf("getUpdates").length > polls || rig.health.length > 0);
        },
      },
    },
    close: () => server.close(),
  };
}

function seen({ message_id, text, entities, buttons, file }: TelegramMessage) {
  const pieces = (type: string) => entities.filter((each) => each.type === type);
  return {
    id: String(message_id),
    text,
    code: pieces("pre").map(({ offset, length }) => text.slice(offset, offset + length)),
    links: pieces("text_link").map(({ url = "" }) => url),
    rang: pieces("text_mention").length > 0,
    buttons: buttons.flat().map((each) => ({ words: each.text, data: each.data })),
    files: file ? [{ name: file.name, bytes: file.bytes, picture: file.kind === "photo" }] : [],
  };
}

channelContract("Telegram", openStage, {
  charsMax: 4_096,
  repeats: "marked",
  fileBytesMax: telegram.fileBytesMax.out,
});
