import { App } from "./app.js";
import { byId } from "./dom.js";
import { exchange, LoginScreen, takeTicket } from "./login.js";
import { forgetAll, read, write } from "./tab-storage.js";
import { listenToViews } from "./views.js";

main();

/** Logs in, and shows the app to whoever is. */
function main() {
  // First of all, before anything is asked of the network.
  const ticket = takeTicket();
  /** @type {App | undefined} */
  let app;
  const login = new LoginScreen(async (secret) => {
    if ("ticket" in secret) await logIn(secret.ticket);
    else enter(secret.token);
  });
  // A fresh link opened in this very tab changes nothing but the fragment.
  addEventListener("hashchange", () => {
    const another = takeTicket();
    if (another !== undefined) void logIn(another);
  });
  byId("logout", HTMLButtonElement).addEventListener("click", () => {
    forgetAll();
    leave(undefined);
  });
  listenToViews();
  const known = read("token");
  if (ticket !== undefined) void logIn(ticket);
  else if (known !== undefined) {
    show("app");
    enter(known);
  } else leave(undefined);

  /** @param {string} ticket */
  async function logIn(ticket) {
    const outcome = await exchange(ticket);
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

  /** @param {string} token */
  function enter(token) {
    app?.close();
    app = new App(token, {
      ready() {
        write("token", token);
        show("app");
      },
      lost: () => show("app"),
      refused({ reason, message }) {
        // Too many attempts say nothing about this token.
        if (reason !== "TOO_MANY_ATTEMPTS") write("token", undefined);
        leave(message);
      },
    });
  }

  /** @param {string | undefined} problem */
  function leave(problem) {
    app?.close();
    app = undefined;
    show("login");
    login.show(problem);
  }
}

/** @param {"login" | "app"} screen */
function show(screen) {
  document.body.dataset["screen"] = screen;
  byId("login", HTMLElement).hidden = screen !== "login";
  byId("app", HTMLDivElement).hidden = screen !== "app";
}
