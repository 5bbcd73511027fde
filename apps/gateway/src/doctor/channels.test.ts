import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { loadConfig } from "../config/load.ts";
import { channels } from "./channels.ts";
import type { DoctorContext } from "./finding.ts";

async function said(shown: readonly Partial<WireChannel>[] | undefined, env: Record<string, string> = {}) {
  const { root } = testFolder();
  const loaded = await loadConfig({ flags: { home: root }, env, cwd: root, userHome: root });
  const whole = shown?.map((each) => ({ title: "Telegram", approverIds: [], allowedChatIds: [], ...each }));
  // The check looks at nothing else of its context.
  const context = { loaded, ...(whole && { channels: async () => whole }) } as unknown as DoctorContext;
  return (await channels.run(context)).map(({ id, severity, what, fix }) =>
    `${severity} ${id}: ${what} ${fix}`.trim(),
  );
}

test("the doctor says how the running gateway finds each chat service, in the words of the channel", async () => {
  const [connected, refused, off, waiting] = [
    { name: "telegram", state: "connected", account: { id: "1", name: "elwood_bot" } },
    { name: "telegram", state: "failed", problem: "Telegram refuses the token." },
    { name: "telegram", state: "off" },
    { name: "telegram", state: "waiting", problem: "Another program asks for the messages of this bot." },
  ] as const;
  expect(await said([connected])).toEqual(["ok channels.telegram: Telegram is connected as elwood_bot."]);
  expect(await said([refused, off])).toEqual([
    "error channels.telegram: Telegram refuses the token. Look at it again with: elwood channels list",
  ]);
  expect(await said([waiting])).toEqual([
    expect.stringMatching(/^warning channels\.telegram: Another program/),
  ]);
  expect(await said([{ ...connected, problem: "Another program writes with this bot's token." }])).toEqual([
    expect.stringMatching(/^warning channels\.telegram: Another program/),
  ]);
});

test("replies that never reached their chats are a finding", async () => {
  const undelivered = { count: 2, problem: "The bot was blocked." };
  expect(await said([{ name: "telegram", state: "off", undelivered }])).toEqual([
    "warning channels.telegram.undelivered: 2 replies to Telegram could not be delivered. The bot was blocked. Read what was not delivered on the page, under Attention.",
  ]);
});

test("where no gateway runs, the doctor asks nobody, and says that a chat service is not listened to", async () => {
  expect(await said(undefined)).toEqual([]);
  expect(await said(undefined, { TELEGRAM_BOT_TOKEN: "123456789:AAloopbackLoopbackLoopback" })).toEqual([
    expect.stringContaining("info channels.idle:"),
  ]);
});
