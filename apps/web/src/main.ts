import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/shell.css";
import { App } from "./app/elwood-app.ts";
import { AppContext } from "./app/context.ts";
import { exchange, takeTicket } from "./gateway/login.ts";
import { TabLogin } from "./gateway/tab-login.ts";
import { forgetAll, read, write } from "./gateway/tab-storage.ts";
import { keepShell } from "./worker/keep-shell.ts";

void main();

/** Logs in, and shows the app to whoever is. */
async function main(): Promise<void> {
  // First of all, before anything is asked of the network.
  const ticket = takeTicket();
  const app = appElement();
  let context: AppContext | undefined;
  let waiting = new AbortController();
  const tabs = new TabLogin(
    () => context?.link.token,
    () => {
      // Else a reload would let this tab in again, and this tab all the others.
      forgetAll();
      leave(undefined);
    },
  );
  app.onSecret = async (secret) => {
    if ("ticket" in secret) await logIn(secret.ticket);
    else enter(secret.token);
  };
  // A fresh link opened in this very tab changes nothing but the fragment.
  addEventListener("hashchange", () => {
    const another = takeTicket();
    if (another !== undefined) void logIn(another);
  });
  const known = read("token");
  if (ticket !== undefined) await logIn(ticket);
  else if (known !== undefined) enter(known);
  else {
    const lent = await tabs.ask();
    if (lent === undefined) leave(undefined);
    else enter(lent);
  }
  keepShell();

  async function logIn(fresh: string): Promise<void> {
    const outcome = await exchange(fresh);
    const before = read("token");
    if ("token" in outcome) {
      // The ticket is spent: from now on this token is the only way in.
      write("token", outcome.token);
      enter(outcome.token);
    }
    // The link is used up, but this tab was let in before.
    else if (before !== undefined) enter(before);
    else leave(outcome.problem);
  }

  function enter(token: string): void {
    waiting.abort();
    context?.close();
    const entered = new AppContext(token, () => {
      forgetAll();
      tabs.logOut();
      leave(undefined);
    });
    context = entered;
    entered.link.state.subscribe((state) => {
      if (state === "ready") {
        write("token", token);
        tabs.share(token);
      }
      if (state === "refused") {
        const { refusal } = entered.link;
        // Nobody logged out: what was typed is kept.
        leave(refusal?.message);
        // Too many attempts say nothing about this token.
        if (refusal?.reason !== "TOO_MANY_ATTEMPTS") write("token", undefined);
      }
    });
    app.show(entered);
  }

  function leave(problem: string | undefined): void {
    context?.close();
    context = undefined;
    app.showLogin(problem);
    waiting.abort();
    waiting = new AbortController();
    tabs.onToken((token) => enter(token), waiting.signal);
  }
}

function appElement(): App {
  const element = document.querySelector("elwood-app");
  if (element instanceof App) return element;
  throw new Error("index.html has no elwood-app");
}
