import type { Panes } from "./panes.ts";
import type { Screen, ScreenEvents } from "./screen.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

/** What the screen tells before there is a chat to tell it to, and whom it tells then. */
export class EarlyEvents implements ScreenEvents {
  events: ScreenEvents | undefined;
  screen: Screen | undefined;
  readonly #left = Promise.withResolvers<undefined>();

  /** What is waited for; undefined where its writer left before. The screen is gone where it failed, and where they left. */
  async unlessLeft<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      const done = await Promise.race([work, this.#left.promise]);
      if (done === undefined) await this.screen?.stop();
      return done;
    } catch (error) {
      await this.screen?.stop();
      throw error;
    }
  }

  submit(text: string): void {
    if (this.events) this.events.submit(text);
    else this.screen?.setText(text);
  }

  key(...given: Parameters<ScreenEvents["key"]>): boolean {
    if (this.events) return this.events.key(...given);
    const [does, empty] = given;
    if (!does("clear") && !(does("leave") && empty)) return false;
    this.#left.resolve(undefined);
    return true;
  }

  paste(text: string): string | undefined {
    return this.events?.paste?.(text);
  }

  panes(): Panes {
    return this.events?.panes?.() ?? { left: [], right: [] };
  }

  pickPane(index: number): void {
    this.events?.pickPane?.(index);
  }

  live(): readonly string[] {
    return this.events?.live() ?? [];
  }

  footer(width: number): string {
    return this.events?.footer(width) ?? WORDS.connecting;
  }
}
