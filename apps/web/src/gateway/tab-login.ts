const CHANNEL = "elwood-login";
const ASK_MS_MAX = 250;

interface Word {
  readonly ask?: true;
  readonly token?: string;
  readonly out?: true;
}

/**
 * Tabs of one browser let each other in. A token is kept for the tab alone, so a second
 * tab asks the others; only pages of this very origin can hear it. Logging out of one tab
 * logs them all out.
 */
export class TabLogin {
  readonly #channel: BroadcastChannel | undefined;
  readonly #token: () => string | undefined;

  constructor(token: () => string | undefined, loggedOut: () => void) {
    this.#token = token;
    this.#channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : undefined;
    this.#channel?.addEventListener("message", ({ data }: MessageEvent<Word>) => {
      const known = this.#token();
      if (data.ask && known !== undefined) this.#say({ token: known });
      if (data.out) loggedOut();
    });
  }

  /** The token of another tab, or undefined where none answers soon. */
  ask(): Promise<string | undefined> {
    const channel = this.#channel;
    if (!channel) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const ended = new AbortController();
      const end = (token: string | undefined) => {
        ended.abort();
        clearTimeout(timer);
        resolve(token);
      };
      const timer = window.setTimeout(() => end(undefined), ASK_MS_MAX);
      channel.addEventListener(
        "message",
        ({ data }: MessageEvent<Word>) => {
          if (data.token !== undefined) end(data.token);
        },
        { signal: ended.signal },
      );
      this.#say({ ask: true });
    });
  }

  /** Calls back once another tab has logged in while this one waits. */
  onToken(listener: (token: string) => void, signal: AbortSignal): void {
    this.#channel?.addEventListener(
      "message",
      ({ data }: MessageEvent<Word>) => {
        if (data.token !== undefined) listener(data.token);
      },
      { signal },
    );
  }

  /** Tells tabs that still wait. */
  share(token: string): void {
    this.#say({ token });
  }

  logOut(): void {
    this.#say({ out: true });
  }

  #say(word: Word): void {
    this.#channel?.postMessage(word);
  }
}
