import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chat } from "@elwood/testkit/chat-wire";
import type { Exchange } from "@elwood/testkit/loopback-server";
import type { OwnerTask } from "./owner-task.ts";
import { RecordedModel } from "./recorded-model.ts";

interface HandAnswer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input?: unknown }[];
}

interface Request {
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_calls?: readonly { readonly function: unknown }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/**
 * A model whose answers are written by whoever watches a folder: each request lands there as `req-N.txt` (what
 * is new in it; all of it where a conversation begins) and `tools-N.json`, and `ans-N.json` is waited for. Tasks that are
 * not to be answered by hand are answered as they were recorded.
 */
export class HandModel extends RecordedModel {
  #folder = "";
  #byHand: (task: number) => boolean = () => true;
  #task = 0;
  #asked = 0;
  #seen = "";
  #toolsSeen = "";
  /** The request that waits for its answer. */
  #open = "";
  #programs: { readonly task: number; readonly request: number; refused: boolean }[] = [];

  static async byHand(folder: string, byHand: (task: number) => boolean): Promise<HandModel> {
    mkdirSync(folder, { recursive: true });
    const old = readdirSync(folder).filter((name) => /^(?:req|ans|tools)-\d+\.|^done\.txt$/.test(name));
    if (old.length > 0) throw new Error(`${folder} holds a game already: ${old.length} files.`);
    const model = new HandModel(await RecordedModel.serve());
    model.#folder = folder;
    model.#byHand = byHand;
    return model;
  }

  override begin(task: OwnerTask, place: (text: string) => string): void {
    super.begin(task, place);
    this.#task = task.task;
  }

  /** Tasks in which a program was written, and whether the first one was taken. */
  firstProgram(task: number): "taken" | "refused" | undefined {
    const first = this.#programs.find((each) => each.task === task);
    return first && (first.refused ? "refused" : "taken");
  }

  protected override async answer(exchange: Exchange): Promise<void> {
    if (!this.#byHand(this.#task)) return super.answer(exchange);
    const body = exchange.request.body as Request;
    // A gateway that has waited too long asks the same once more.
    const whole = JSON.stringify(body.messages);
    if (whole !== this.#open) {
      this.#open = whole;
      this.#asked += 1;
      this.read(exchange);
      this.#tell(this.#asked, body);
    }
    const number = this.#asked;
    const answer = await this.#waitFor(number, exchange);
    if (answer === undefined) return;
    this.#open = "";
    const calls = answer.calls ?? [];
    if (calls.some(({ name }) => PROGRAM.test(name)))
      this.#programs.push({ task: this.#task, request: number, refused: false });
    const text = answer.text ?? "";
    if (calls.length === 0) return chat.reply(text === "" ? "(nothing)" : text)(exchange);
    const wire = calls.map(({ name, input }) =>
      typeof input === "string" ? { name, json: input } : { name, input: input ?? {} },
    );
    return chat.tools(wire, text === "" ? {} : { text })(exchange);
  }

  #tell(number: number, body: Request): void {
    const lines = body.messages.map(({ role, content, tool_calls: calls }) => {
      const said = typeof content === "string" ? content : JSON.stringify(content);
      const called = calls ? `\n  calls ${JSON.stringify(calls.map((each) => each.function))}` : "";
      return `[${role}] ${said}${called}`;
    });
    const all = lines.join("\n---\n");
    const fresh = this.#seen !== "" && all.startsWith(this.#seen) ? all.slice(this.#seen.length) : all;
    this.#seen = all;
    const last = this.#programs.at(-1);
    if (last?.request === number - 1 && fresh.includes("The program was not run: it has mistakes"))
      last.refused = true;
    const tools = JSON.stringify(body.tools ?? [], null, 1);
    const names = (body.tools ?? []).map(({ function: { name } }) => name).join(", ");
    const changed = tools === this.#toolsSeen ? "" : ` (their texts: tools-${number}.json)`;
    if (changed !== "") writeFileSync(join(this.#folder, `tools-${number}.json`), `${tools}\n`);
    this.#toolsSeen = tools;
    const shown = `task ${this.#task}\ntools: ${names}${changed}\n${fresh}\n`;
    const path = join(this.#folder, `req-${number}.txt`);
    writeFileSync(`${path}.new`, shown);
    renameSync(`${path}.new`, path);
  }

  /** Undefined where the gateway gave up. A file that is only half written is looked at again. */
  async #waitFor(number: number, { gone }: Exchange): Promise<HandAnswer | undefined> {
    const path = join(this.#folder, `ans-${number}.json`);
    let left = false;
    void gone.then(() => (left = true));
    for (;;) {
      if (left) return undefined;
      if (existsSync(path)) {
        try {
          return JSON.parse(readFileSync(path, "utf8")) as HandAnswer;
        } catch {
          // Not whole yet.
        }
      }
      await pause(LOOK_MS);
    }
  }
}

const LOOK_MS = 100;
const PROGRAM = /^program(?:__|\.)code(?:__|\.)run$/;
