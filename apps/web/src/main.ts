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
    () => context?.token,
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
    const entered = new AppContext(token, () => void logOut(entered));
    context = entered;
    entered.link.state.subscribe((state) => {
      if (context !== entered) return;
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

  /** Here at once, whatever the gateway says; then there, where the token is no more than this browser's login. */
  async function logOut(left: AppContext): Promise<void> {
    // A link gives a browser every scope, so a token with fewer is none of its.
    const asked = left.link.may("admin")
      ? left.link.call("login.end", {}).catch(() => undefined)
      : Promise.resolve({ ended: false });
    // From now on it is lent to no tab, and nothing that the link does brings it back.
    context = undefined;
    forgetAll();
    tabs.logOut();
    leave(undefined);
    left.close(asked);
    const answer = await asked;
    if (!answer?.ended && !context) app.showLogin(answer ? NOT_OURS : NOT_TOLD, "info");
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

const NOT_OURS =
  "This browser has forgotten the token. The token itself was not ended: it still opens Elwood elsewhere.";
const NOT_TOLD =
  "This browser has forgotten its login. Elwood could not be told: until it is revoked under Connections, or expires, it is still good.";

function appElement(): App {
  const element = document.querySelector("elwood-app");
  if (element instanceof App) return element;
  throw new Error("index.html has no elwood-app");
}
