import {
  channelContract,
  type ChannelStage,
  type SeenMessage,
  type SendFault,
} from "@elwood/testkit/channel-contract";
import { readDiscord } from "@elwood/testkit/discord-reading";
import type { DiscordFault } from "@elwood/testkit/discord-server";
import type { DiscordMessage, Json } from "@elwood/testkit/discord-world";
import channel from "./index.ts";
import { Rig } from "./test-rig.ts";

function faultOf(fault: SendFault): DiscordFault {
  switch (fault.kind) {
    case "wait":
      return { kind: "limited", retryAfterSeconds: fault.seconds };
    case "lost":
      return { kind: "lost", when: "after" };
    case "broken":
      return { kind: "answer", status: 502 };
    case "refused":
      return { kind: "answer", status: 400, body: { code: 50_035, message: "Invalid Form Body" } };
    case "token":
      return { kind: "answer", status: 401, body: { code: 0, message: "401: Unauthorized" } };
    default:
      return fault satisfies never;
  }
}

async function openStage(): Promise<ChannelStage> {
  const rig = await Rig.start();
  const { server } = rig;
  let olga = server.person("Olga");
  const { id: chat } = server.privateChat(olga);
  return {
    rig,
    olga,
    chat,
    say: (text, { file } = {}) => {
      const attachments = file
        ? [server.world.addFile({ name: file.name, type: file.mime, bytes: file.bytes }, server.origin)]
        : [];
      return server.say(olga, chat, text, { attachments }).id;
    },
    change: (messageId, text) => server.change(messageId, text),
    rename: (global_name) => {
      olga = { ...olga, global_name };
    },
    press: async (messageId, data) => {
      const interaction = server.press(olga, messageId, data);
      await server.until(() => interaction.answer !== undefined);
    },
    told: () => server.whispers(olga).map(({ content }) => content),
    denyWithNote: async (messageId, deny, note) => {
      const opened = server.press(olga, messageId, deny);
      await server.until(() => opened.answer !== undefined);
      server.submit(opened, note);
    },
    seen: () => server.written(chat).map((message) => seen(message, server.world.files)),
    typing: () => server.requestsOf("POST", /typing$/).length,
    fault: (fault) => server.fault("POST", /messages$/, faultOf(fault)),
    block: () => server.block(olga),
    nowhere: "42",
    deleteMessages: () => server.world.messages.clear(),
    goOffline: () => server.goOffline(),
    goOnline: () => server.goOnline(),
    refusals: {
      4014: {
        words: /4014.*Message Content Intent.*or set discord\.messageContent to false/s,
        provoke: async () => {
          await rig.close();
          await rig.open({ messageContent: true });
        },
      },
    },
    close: () => server.close(),
  };
}

function seen(
  { id, content, components, attachments, mentions, mention_everyone }: DiscordMessage,
  files: ReadonlyMap<string, { readonly bytes: Uint8Array }>,
): SeenMessage {
  const pieces = readDiscord(content);
  const buttons = components.flatMap((row) => row["components"] as readonly Json[]);
  return {
    id,
    text: pieces.map(({ text }) => text).join(""),
    code: pieces.filter(({ styles }) => styles.includes("block")).map(({ text }) => text),
    links: pieces.flatMap(({ url }) => (url === undefined ? [] : [url])),
    rang: mentions.length > 0 || mention_everyone,
    buttons: buttons.map((each) => ({ words: String(each["label"]), data: String(each["custom_id"]) })),
    files: attachments.map((each) => ({
      name: each.filename,
      bytes: files.get(each.id)?.bytes ?? new Uint8Array(),
      picture: each.content_type?.startsWith("image/") ?? false,
    })),
  };
}

channelContract("Discord", openStage, {
  charsMax: 2_000,
  repeats: "once",
  fileBytesMax: channel.fileBytesMax.out,
});
