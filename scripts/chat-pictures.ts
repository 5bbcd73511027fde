// node scripts/chat-pictures.ts [folder]: pictures of what Telegram and Discord show, from their ledgers.
//
// A real gateway talks to both services on loopback: a reply with formatting and a file, a question, a
// request with its buttons, what destroys something, and a request that was decided. What each service
// has in its ledger is drawn as its app draws it, and photographed into the folder
// (test-results/chats unless given). The browser is the one in ELWOOD_TEST_BROWSER, else /usr/bin/chromium.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { readDiscord, type DiscordPiece } from "@elwood/testkit/discord-reading";
import { startDiscord } from "@elwood/testkit/discord-server";
import type { Json } from "@elwood/testkit/discord-world";
import { startGatewayProcess } from "@elwood/testkit/gateway-process";
import { TelegramServer, type TelegramMessage } from "@elwood/testkit/telegram-server";
import { chromium } from "playwright-core";

const folder = process.argv[2] ?? fileURLToPath(new URL("../test-results/chats", import.meta.url));
const WAIT_MS_MAX = 20_000;

/** A message of a chat, as its app draws it. */
interface Bubble {
  readonly own: boolean;
  readonly html: string;
  readonly buttons: readonly (readonly { readonly words: string; readonly tone?: string }[])[];
  readonly files: readonly { readonly name: string; readonly src?: string }[];
}

interface Chat {
  say(text: string): void;
  /** Presses the button with these words under the last message that has it. */
  press(words: string): void;
  bubbles(): readonly Bubble[];
}

const REPLY = `## Tomorrow
**Two** things, one of them *early*:

1. Dentist at \`08:30\`
2. ~~Call Anna~~ done

> Bring the form.

\`\`\`ts
const minutes = 25; // by bike
\`\`\`

See [the route](https://example.com/route). Nothing here is <b>HTML</b> or @everyone.`;

/** What is said, and what the model does about it. Answers with how it ends, which is not in the picture. */
async function play(model: AnthropicServer, chat: Chat): Promise<() => Promise<void>> {
  const tool = (name: string, input: object) => anthropic.tools([{ name, input }]);
  const shows = async (fits: (last: Bubble) => boolean): Promise<void> => {
    const until = Date.now() + WAIT_MS_MAX;
    for (;;) {
      const last = chat.bubbles().findLast(({ own }) => !own);
      if (last && fits(last)) return;
      if (Date.now() > until) throw new Error(`the chat never came to show it: ${last?.html ?? "nothing"}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const asks = (words: string) => (last: Bubble) =>
    last.buttons.flat().some((button) => button.words === words);
  model.will(tool("files__file__attach", { path: "route.png" }), anthropic.reply(REPLY));
  chat.say("What is on tomorrow? Send me route.png too.");
  await shows(({ files }) => files.length > 0);
  model.will(
    tool("owner__question__choose", { question: "Which day suits you?", options: ["Monday", "Tuesday"] }),
    tool("files__file__write", { path: "plan.md", content: "# Plan\nDentist on Tuesday.\n" }),
    anthropic.reply("Written down."),
  );
  chat.say("Plan the dentist");
  await shows(asks("Tuesday"));
  chat.press("Tuesday");
  await shows(asks("Allow"));
  chat.press("Allow");
  await shows(({ html }) => html.includes("Written down."));
  model.will(tool("files__file__delete", { path: "old.txt" }), anthropic.reply("Deleted."));
  chat.say("What about the old notes?");
  await shows(asks("Allow…"));
  chat.press("Allow…");
  await shows(asks("Yes, delete"));
  return async () => {
    chat.press("Yes, delete");
    await shows(({ html }) => html.includes("Deleted."));
  };
}

function telegramChat(server: TelegramServer): Chat {
  const olga = { id: 100, first_name: "Olga" };
  const said = new Map<number, string>();
  return {
    say: (text) => void said.set(server.say(olga, text), text),
    press(words) {
      const card = server.messages.findLast(({ buttons }) =>
        buttons.flat().some(({ text }) => text === words),
      );
      const button = card?.buttons.flat().find(({ text }) => text === words);
      if (card && button) server.press(olga, card, button.data);
    },
    bubbles: () => {
      const own = [...said].map(([id, text]) => ({
        id,
        own: true,
        html: escaped(text),
        buttons: [],
        files: [],
      }));
      const theirs = server.messages.map((message) => ({
        id: message.message_id,
        ...telegramBubble(message),
      }));
      return [...own, ...theirs].toSorted((a, b) => a.id - b.id);
    },
  };
}

const TAGS: Readonly<Record<string, readonly [open: string, close: string]>> = {
  bold: ["<b>", "</b>"],
  italic: ["<i>", "</i>"],
  strikethrough: ["<s>", "</s>"],
  code: ["<code>", "</code>"],
  pre: ["<pre>", "</pre>"],
  blockquote: ["<blockquote>", "</blockquote>"],
  text_link: ["<u>", "</u>"],
};

function telegramBubble({ text, entities, buttons, file }: TelegramMessage): Bubble {
  const html = Array.from({ length: text.length + 1 }, (_, at) => {
    const ends = entities.filter(({ offset, length }) => offset + length === at).toReversed();
    const starts = entities.filter(({ offset }) => offset === at);
    const close = ends.map(({ type }) => TAGS[type]?.[1] ?? "").join("");
    return close + starts.map(({ type }) => TAGS[type]?.[0] ?? "").join("") + escaped(text[at] ?? "");
  }).join("");
  return {
    own: false,
    html,
    buttons: buttons.map((row) => row.map((button) => ({ words: button.text }))),
    files: file ? [fileOf(file.name, file.kind === "photo" ? file.bytes : undefined)] : [],
  };
}

const STYLES: Readonly<Record<string, string>> = {
  bold: "b",
  italic: "i",
  strike: "s",
  code: "code",
  block: "pre",
  small: "small",
  heading: "h3",
  quote: "blockquote",
  mention: "mark",
};

function discordPiece({ text, styles, url }: DiscordPiece): string {
  const inner = url === undefined ? escaped(text) : `<u>${escaped(text)}</u>`;
  return styles.reduceRight((html, style) => {
    const tag = STYLES[style];
    return tag === undefined ? html : `<${tag}>${html}</${tag}>`;
  }, inner);
}

const TONES: Readonly<Record<number, string>> = { 3: "good", 4: "bad" };

async function discordChat(server: Awaited<ReturnType<typeof startDiscord>>): Promise<Chat & { id: string }> {
  const olga = server.person("Olga");
  const { id } = server.privateChat(olga);
  const rowsOf = (components: readonly Json[]) =>
    components.map((row) => row["components"] as readonly Json[]);
  return {
    id: olga.id,
    say: (text) => void server.say(olga, id, text),
    press(words) {
      const card = server.written(id).findLast(({ components }) =>
        rowsOf(components)
          .flat()
          .some((each) => each["label"] === words),
      );
      const button =
        card &&
        rowsOf(card.components)
          .flat()
          .find((each) => each["label"] === words);
      if (card && button) server.press(olga, card.id, String(button["custom_id"]));
    },
    bubbles: () =>
      server.messages(id).map((message) => ({
        own: message.author.id === olga.id,
        html: readDiscord(message.content).map(discordPiece).join(""),
        buttons: rowsOf(message.components).map((row) =>
          row.map((each) => ({
            words: String(each["label"]),
            tone: TONES[Number(each["style"])] ?? "plain",
          })),
        ),
        files: message.attachments.map((each) =>
          fileOf(
            each.filename,
            each.content_type?.startsWith("image/") ? server.world.files.get(each.id)?.bytes : undefined,
          ),
        ),
      })),
  };
}

function fileOf(name: string, picture: Uint8Array | undefined): Bubble["files"][number] {
  if (!picture) return { name };
  return { name, src: `data:image/png;base64,${Buffer.from(picture).toString("base64")}` };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function pageOf(name: "telegram" | "discord", bubbles: readonly Bubble[]): string {
  const drawn = bubbles.map(({ own, html, buttons, files }) => {
    const shown = files.map(({ name: called, src }) =>
      src === undefined ? `<div class="file">📄 ${escaped(called)}</div>` : `<img src="${src}" alt="">`,
    );
    const rows = buttons.map(
      (row) =>
        `<div class="row">${row.map(({ words, tone = "" }) => `<span class="button ${tone}">${escaped(words)}</span>`).join("")}</div>`,
    );
    const text = html === "" ? "" : `<div class="text">${html}</div>`;
    return `<section class="${own ? "own" : "theirs"}"><div class="bubble">${text}${shown.join("")}</div>${rows.join("")}</section>`;
  });
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 16px; width: 560px; font: 15px/1.4 system-ui, sans-serif; }
    .telegram { background: #cfdccb; color: #111; } .discord { background: #313338; color: #dbdee1; }
    section { margin: 0 0 10px; } .text { white-space: pre-wrap; overflow-wrap: anywhere; }
    .telegram .bubble { background: #fff; border-radius: 12px; padding: 8px 12px; display: inline-block; max-width: 460px; }
    .telegram .own { text-align: right; } .telegram .own .bubble { background: #e3fdd0; text-align: left; }
    .telegram .row { display: flex; gap: 4px; margin-top: 4px; max-width: 484px; }
    .telegram .button { flex: 1; text-align: center; background: #7f9a86; color: #fff; border-radius: 8px; padding: 7px; }
    .discord .own::before { content: "Olga"; color: #f0b232; } .discord .theirs::before { content: "Elwood  APP"; color: #fff; font-weight: 600; }
    .discord .row { display: flex; gap: 8px; margin-top: 8px; }
    .discord .button { background: #4e5058; color: #fff; border-radius: 4px; padding: 6px 16px; }
    .discord .good { background: #248046; } .discord .bad { background: #da373c; }
    pre { margin: 4px 0; padding: 8px; border-radius: 6px; background: #8884; } code { background: #8884; border-radius: 3px; padding: 0 3px; }
    blockquote { margin: 0; padding-left: 8px; border-left: 3px solid #888; display: inline-block; } h3 { margin: 0; display: inline; }
    small { opacity: 0.7; } u { color: #3390ec; text-decoration: none; } img { max-width: 200px; display: block; border-radius: 8px; }
    .file { padding: 6px 0; }
  </style><body class="${name}">${drawn.join("\n")}`;
}

const home = mkdtempSync(join(tmpdir(), "elwood-chats-"));
const telegram = await new TelegramServer().start();
const discord = await startDiscord({ clock: { now: () => Date.now() } });
const model = await startAnthropic();
const browser = await chromium.launch({
  executablePath: process.env["ELWOOD_TEST_BROWSER"] ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
mkdirSync(folder, { recursive: true });
mkdirSync(join(home, "files"), { recursive: true });
const drawing = await browser.newPage({ viewport: { width: 200, height: 120 } });
await drawing.setContent(
  '<body style="margin:0"><svg width="200" height="120"><rect width="200" height="120" fill="#dce8d4"/><path d="M10 110 C60 20 120 120 190 10" stroke="#c33" stroke-width="4" fill="none"/></svg>',
);
writeFileSync(join(home, "files/route.png"), await drawing.screenshot());
const inDiscord = await discordChat(discord);
const gateway = await startGatewayProcess({
  home,
  config: `timeZone: UTC
policy: { mode: strict }
telegram: { apiRoot: "${telegram.url}", approverIds: [100] }
discord: { apiRoot: "${discord.apiRoot}", approverIds: ["${inDiscord.id}"] }
`,
  env: {
    TELEGRAM_BOT_TOKEN: telegram.token,
    DISCORD_BOT_TOKEN: discord.token,
    ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
    ANTHROPIC_BASE_URL: model.url,
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
  },
});
try {
  await discord.until(() => discord.connected);
  for (const [name, chat] of [
    ["telegram", telegramChat(telegram)],
    ["discord", inDiscord],
  ] as const) {
    writeFileSync(join(home, "files/old.txt"), "old notes\n");
    const end = await play(model, chat);
    const page = await browser.newPage({ viewport: { width: 592, height: 400 } });
    await page.setContent(pageOf(name, chat.bubbles()));
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    await end();
    process.stdout.write(`${join(folder, `${name}.png`)}\n`);
  }
} finally {
  await browser.close();
  await gateway.stop();
  await telegram.close();
  await discord.close();
  await model.close();
  rmSync(home, { recursive: true, force: true });
}
