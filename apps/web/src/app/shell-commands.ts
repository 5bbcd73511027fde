import { confirmDialog } from "../parts/dialog.ts";
import { countText } from "../parts/format.ts";
import type { Command } from "./commands.ts";
import type { AppContext } from "./context.ts";
import { PAGES, pathOf } from "./pages.ts";
import { chooseTheme } from "./theme.ts";

const CARD = "A card that has the focus";
const LIST = "A list or timeline that has the focus";
const NOTE = "A note that is written";

/** What has the focus hears these itself. */
const LOCAL_KEYS = [
  [CARD, "a", "Allow this once"],
  [CARD, "s", "More ways to allow"],
  [CARD, "e", "Edit"],
  [CARD, "d", "Deny"],
  [CARD, "n", "Deny, and say why"],
  [CARD, "j", "Next card"],
  [CARD, "k", "Previous card"],
  [LIST, "ArrowDown", "Next line"],
  [LIST, "ArrowUp", "Line before"],
  [LIST, "Home", "First line"],
  [LIST, "End", "Last line"],
  [LIST, "Enter", "Open it"],
  [NOTE, "mod+s", "Save"],
] as const;

/** What can be done from anywhere. Pages add their own while they are shown. */
export function shellCommands(app: AppContext): readonly Command[] {
  return [
    {
      id: "palette",
      title: "Find a command, page or session",
      group: "General",
      keys: "mod+k",
      run: () => void import("./command-palette.ts").then(({ openPalette }) => openPalette(app)),
    },
    {
      id: "shortcuts",
      title: "Show keyboard shortcuts",
      group: "General",
      keys: "?",
      run: () => void import("./shortcuts-sheet.ts").then(({ openShortcuts }) => openShortcuts(app)),
    },
    {
      id: "stop-all",
      title: "Stop everything: abort all runs, end all standing permissions",
      group: "General",
      keys: "mod+shift+.",
      when: () => app.link.may("approve"),
      run: () => void stopAll(app),
    },
    {
      id: "letters",
      title: "Single-letter shortcuts: on or off",
      group: "General",
      run: () => {
        app.commands.letters = !app.commands.letters;
        app.toasts.show(`Single-letter shortcuts are ${app.commands.letters ? "on" : "off"}.`);
      },
    },
    { id: "log-out", title: "Log out of this browser", group: "General", run: () => app.logOut() },
    ...PAGES.filter((page) => page.place !== undefined).map((page): Command => ({
      id: `go-${page.id}`,
      title: `Go to ${page.id === "settings" ? "Settings" : page.title}`,
      group: "Go to",
      ...(page.key === undefined ? {} : { keys: `g ${page.key}` }),
      when: () => page.needs === undefined || app.link.has(page.needs),
      run: () => {
        // Straight to the first thing that waits, so that its keys work at once.
        if (page.id === "approvals") app.waiting.focusFirst = true;
        app.router.go(pathOf(page));
      },
    })),
    {
      id: "verify",
      title: "Verify the log in this browser",
      group: "Go to",
      when: () => app.link.has("receipts.list"),
      run: () => app.router.go("/receipts?verify=1"),
    },
    {
      id: "go-welcome",
      title: "Welcome, and the tour with the demo model",
      group: "Go to",
      run: () => app.router.go("/welcome"),
    },
    { id: "theme-light", title: "Light theme", group: "Appearance", run: () => chooseTheme("light") },
    { id: "theme-dark", title: "Dark theme", group: "Appearance", run: () => chooseTheme("dark") },
    {
      id: "theme-system",
      title: "Theme of the system",
      group: "Appearance",
      run: () => chooseTheme("system"),
    },
    ...LOCAL_KEYS.map(([group, keys, title]): Command => ({
      id: `${group} ${keys}`,
      title,
      group,
      keys,
      local: true,
      run: () => {},
    })),
  ];
}

/** The panic stop: asked once, then told in numbers. */
export async function stopAll(app: AppContext): Promise<void> {
  const sure = await confirmDialog({
    title: "Stop everything?",
    text: "Every run is stopped where it is, and every standing permission ends. What was done stays done; receipts say what.",
    yes: "Stop everything",
    danger: true,
  });
  if (!sure) return;
  const stopped = await app.attempt(() => app.link.call("gateway.stop_all", {}));
  if (!stopped) return;
  const { runsStopped, grantsRevoked, failed } = stopped;
  const rest = failed === undefined ? "" : ` ${failed} could not be stopped: look at Runs.`;
  const done = `Stopped ${countText(runsStopped, "run")}, ended ${countText(grantsRevoked, "permission")}.`;
  app.toasts.show(`${done}${rest}`, {
    tone: failed === undefined ? "info" : "bad",
  });
}
