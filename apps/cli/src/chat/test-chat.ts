import { join } from "node:path";
import { Connection, GatewayClient } from "@elwood/sdk/client";
import { expect, onTestFinished } from "vitest";
import { testIo } from "../test-io.ts";
import { storeFile } from "./attachments.ts";
import { ChatApp, type ChatDeps, type ChatStart } from "./chat-app.ts";
import { PromptFiles } from "./prompt-files.ts";
import { Screen, type ScreenOptions } from "./screen.ts";
import { TestTerminal } from "./test-terminal.ts";

export interface Chat {
  readonly terminal: TestTerminal;
  readonly client: GatewayClient;
  readonly left: Promise<void>;
  /** Waits until the terminal shows this. */
  readonly shows: (words: string | RegExp) => Promise<void>;
}

export interface ChatScene {
  /** The gateway of now. */
  readonly of: () => { readonly url: string; readonly token: string; readonly home: string };
  readonly terminal?: TestTerminal;
  readonly columns?: number;
  readonly rows?: number;
  readonly session?: string;
  readonly first?: string;
  readonly edit?: (text: string) => string;
  readonly cwd?: string;
  readonly deps?: Partial<ChatDeps>;
  readonly start?: ChatStart;
  readonly screen?: ScreenOptions;
  readonly env?: Readonly<Record<string, string>>;
}

/** A chat on an emulated terminal, over a real connection. */
export async function openTestChat(how: ChatScene): Promise<Chat> {
  const { of, columns = 90, rows = 40 } = how;
  const terminal = how.terminal ?? new TestTerminal(columns, rows);
  const client = new GatewayClient({
    open: () => Connection.open({ url: of().url, token: of().token, client: { name: "cli", drafts: true } }),
    waitMs: () => 50,
  });
  client.start();
  const env = { NO_COLOR: "", PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh", ...how.env };
  const app = new ChatApp(
    {
      client,
      io: testIo({ tty: true, columns, env, cwd: how.cwd ?? of().home }),
      paint: (_style, text) => text,
      screen: (events) => new Screen(terminal, events, (_style, text) => text, how.screen),
      now: () => Date.now(),
      edit: async (_name, text) => how.edit?.(text) ?? text,
      prompts: new PromptFiles(join(of().home, "prompts")),
      store: (file) => storeFile(of(), file),
      ...how.deps,
    },
    { sessionKey: how.session, first: how.first, ...how.start },
  );
  const left = app.run();
  onTestFinished(async () => {
    app.exit();
    await left;
    await client.close();
  });
  const shows = async (words: string | RegExp) => {
    await expect
      .poll(() => terminal.text())
      .toMatch(words instanceof RegExp ? words : new RegExp(escaped(words)));
  };
  await shows("/help lists commands");
  return { terminal, client, left, shows };
}

function escaped(words: string): string {
  return words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
