import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/shell.css";
import { App } from "./app/elwood-app.ts";
import { AppContext } from "./app/context.ts";
import { exchange, takeTicket } from "./gateway/login.ts";
import { cannotStay, staysUntil } from "./gateway/device-mark.ts";
import { TabLogin } from "./gateway/tab-login.ts";
import { forgetAll, read, write } from "./gateway/tab-storage.ts";
import { keepShell } from "./worker/keep-shell.ts";
import { speak } from "./words/language.ts";
import { say } from "./words/en/app.ts";
import { fill } from "./words/fill.ts";

/** Logs in, and shows the app to whoever is. */
async function main(): Promise<void> {
  // First of all, before anything is asked of the network.
  const ticket = takeTicket();
  await speak();
  const login = new Login(appElement());
  // A fresh link opened in this very tab changes nothing but the fragment.
  addEventListener("hashchange", () => {
    const another = takeTicket();
    if (another !== undefined) void login.logIn(another);
  });
  await login.start(ticket);
  keepShell();
}

/** The login of this tab: with it the app is shown, without it the login screen. */
class Login {
  readonly #app: App;
  readonly #tabs: TabLogin;
  #context: AppContext | undefined;
  /** Ends the wait for a token of another tab. */
  #waiting = new AbortController();

  constructor(app: App) {
    this.#app = app;
    this.#tabs = new TabLogin(
      () => this.#context?.token,
      () => {
        // Else a reload would let this tab in again, and this tab all the others.
        forgetAll();
        this.#leave(undefined);
      },
    );
    app.onSecret = async (secret) => {
      if ("ticket" in secret) await this.logIn(secret.ticket);
      else this.#enter(secret.token);
    };
  }

  async start(ticket: string | undefined): Promise<void> {
    const known = read("token");
    if (ticket !== undefined) {
      await this.logIn(ticket);
      return;
    }
    const token = known ?? (await this.#tabs.ask()) ?? (await deviceToken());
    if (token === undefined) this.#leave(undefined);
    else this.#enter(token);
  }

  async logIn(ticket: string): Promise<void> {
    const outcome = await exchange(ticket);
    const before = read("token");
    if ("token" in outcome) {
      // The ticket is spent: from now on this token is the only way in.
      write("token", outcome.token);
      this.#enter(outcome.token);
      this.#offerStay();
    }
    // The link is used up, but this tab was let in before.
    else if (before !== undefined) this.#enter(before);
    else this.#leave(outcome.problem);
  }

  #enter(token: string): void {
    this.#waiting.abort();
    this.#context?.close();
    const entered: AppContext = new AppContext(token, {
      logOut: () => void this.#logOut(entered),
      stay: () => this.#stay(entered),
      renew: deviceToken,
    });
    this.#context = entered;
    entered.link.state.subscribe((state) => {
      if (this.#context !== entered) return;
      if (state === "ready") {
        write("token", entered.token);
        this.#tabs.share(entered.token);
      }
      if (state === "refused") void this.#refused(entered);
    });
    this.#app.show(entered);
  }

  async #refused(entered: AppContext): Promise<void> {
    const { refusal, hello } = entered.link;
    // One that was never let in has tried its key already.
    const fresh = hello.value === undefined ? undefined : await deviceToken();
    if (this.#context !== entered) return;
    if (fresh !== undefined) return this.#enter(fresh);
    // Nobody logged out: what was typed is kept.
    this.#leave(refusal?.message);
    // Too many attempts say nothing about this token.
    if (refusal?.reason !== "TOO_MANY_ATTEMPTS") write("token", undefined);
  }

  /** Whoever followed a link would need another one tomorrow. */
  #offerStay(): void {
    const entered = this.#context;
    if (!entered || staysUntil() !== undefined || cannotStay() !== undefined) return;
    const action = { label: say.stayLoggedIn, run: () => void entered.stay() };
    entered.toasts.show(say.stayLoggedInOnThisDevice, { action });
  }

  /** From now on this browser signs in by itself, and what the link gave it is no longer needed. */
  async #stay(left: AppContext): Promise<boolean> {
    try {
      const { keepDevice } = await import("./gateway/device-login.ts");
      await keepDevice(left.link);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      left.toasts.show(fill(say.thisBrowserDoesNotStayLogged, why), { tone: "bad" });
      return false;
    }
    left.toasts.show(say.thisBrowserStaysLoggedInSettings);
    const token = await deviceToken();
    if (token === undefined || this.#context !== left) return true;
    write("token", token);
    const ended = left.link.call("login.end", {}).catch(() => undefined);
    this.#context = undefined;
    left.close(ended);
    await ended;
    this.#enter(token);
    return true;
  }

  /** Here at once, whatever the gateway says; then there, where the token is no more than this browser's login. */
  async #logOut(left: AppContext): Promise<void> {
    // A link gives a browser every scope, so a token with fewer is none of its.
    const asked = left.link.may("admin")
      ? left.link.call("login.end", {}).catch(() => undefined)
      : Promise.resolve({ ended: false });
    // From now on it is lent to no tab, and nothing that the link does brings it back.
    this.#context = undefined;
    forgetAll();
    if (staysUntil() !== undefined)
      void import("./gateway/device-login.ts").then(({ forgetDevice }) => forgetDevice());
    this.#tabs.logOut();
    this.#leave(undefined);
    left.close(asked);
    const answer = await asked;
    if (!answer?.ended && !this.#context)
      this.#app.showLogin(
        answer ? say.thisBrowserHasForgottenTheToken : say.thisBrowserHasForgottenItsLogin,
        "info",
      );
  }

  #leave(problem: string | undefined): void {
    this.#context?.close();
    this.#context = undefined;
    this.#app.showLogin(problem);
    this.#waiting.abort();
    this.#waiting = new AbortController();
    this.#tabs.onToken((token) => this.#enter(token), this.#waiting.signal);
  }
}

/** Of a browser that stays logged in; the code for it is fetched by such a one alone. */
async function deviceToken(): Promise<string | undefined> {
  if (staysUntil() === undefined) return undefined;
  try {
    const login = await import("./gateway/device-login.ts");
    return await login.deviceToken();
  } catch (error) {
    // The gateway is away: the next try fetches it.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function appElement(): App {
  const element = document.querySelector("elwood-app");
  if (element instanceof App) return element;
  throw new Error("index.html has no elwood-app");
}

// Last, since a class exists only from its own line on.
void main();
