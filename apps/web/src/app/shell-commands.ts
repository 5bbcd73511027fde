import { confirmDialog } from "../parts/dialog.ts";
import { countText } from "../parts/format.ts";
import type { Command } from "./commands.ts";
import type { AppContext } from "./context.ts";
import { PAGES, pathOf } from "./pages.ts";
import { chooseTheme } from "./theme.ts";
import { say } from "../words/en/app.ts";
import { fill } from "../words/fill.ts";

const CARD = "aCardThatHasTheFocus";
const LIST = "aListOrTimelineThatHas";
const NOTE = "aNoteThatIsWritten";

/** What has the focus hears these itself. */
const LOCAL_KEYS = [
  [CARD, "a", "allowThisOnce"],
  [CARD, "s", "moreWaysToAllow"],
  [CARD, "e", "edit"],
  [CARD, "d", "deny"],
  [CARD, "n", "denyAndSayWhy"],
  [CARD, "j", "nextCard"],
  [CARD, "k", "previousCard"],
  [LIST, "ArrowDown", "nextLine"],
  [LIST, "ArrowUp", "lineBefore"],
  [LIST, "Home", "firstLine"],
  [LIST, "End", "lastLine"],
  [LIST, "Enter", "openIt"],
  [NOTE, "mod+s", "save"],
] as const;

/** What can be done from anywhere. Pages add their own while they are shown. */
export function shellCommands(app: AppContext): readonly Command[] {
  return [
    {
      id: "palette",
      title: say.findACommandPageOrSession,
      group: say.general,
      keys: "mod+k",
      run: () => void import("./command-palette.ts").then(({ openPalette }) => openPalette(app)),
    },
    {
      id: "shortcuts",
      title: say.showKeyboardShortcuts,
      group: say.general,
      keys: "?",
      run: () => void import("./shortcuts-sheet.ts").then(({ openShortcuts }) => openShortcuts(app)),
    },
    {
      id: "stop-all",
      title: say.stopEverythingAbortAllRunsEnd,
      group: say.general,
      keys: "mod+shift+.",
      when: () => app.link.may("approve"),
      run: () => void stopAll(app),
    },
    {
      id: "letters",
      title: say.singleLetterShortcutsOnOrOff,
      group: say.general,
      run: () => {
        app.commands.letters = !app.commands.letters;
        app.toasts.show(fill(say.singleLetterShortcutsAre, app.commands.letters ? "on" : "off"));
      },
    },
    { id: "log-out", title: say.logOutOfThisBrowser, group: say.general, run: () => app.logOut() },
    ...PAGES.filter((page) => page.place !== undefined).map((page): Command => ({
      id: `go-${page.id}`,
      title: fill(say.goTo, page.id === "settings" ? say.settings : page.title),
      group: say.goTo2,
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
      title: say.verifyTheLogInThisBrowser,
      group: say.goTo2,
      when: () => app.link.has("receipts.list"),
      run: () => app.router.go("/receipts?verify=1"),
    },
    {
      id: "go-welcome",
      title: say.welcomeAndTheTourWithThe,
      group: say.goTo2,
      run: () => app.router.go("/welcome"),
    },
    { id: "theme-light", title: say.lightTheme, group: say.appearance, run: () => chooseTheme("light") },
    { id: "theme-dark", title: say.darkTheme, group: say.appearance, run: () => chooseTheme("dark") },
    {
      id: "theme-system",
      title: say.themeOfTheSystem,
      group: say.appearance,
      run: () => chooseTheme("system"),
    },
    ...LOCAL_KEYS.map(([group, keys, title]): Command => ({
      id: `${group} ${keys}`,
      title: say[title],
      group: say[group],
      keys,
      local: true,
      run: () => {},
    })),
  ];
}

/** The panic stop: asked once, then told in numbers. */
export async function stopAll(app: AppContext): Promise<void> {
  const sure = await confirmDialog({
    title: say.stopEverything,
    text: say.everyRunIsStoppedWhereIt,
    yes: say.stopEverything2,
    danger: true,
  });
  if (!sure) return;
  const stopped = await app.attempt(() => app.link.call("gateway.stop_all", {}));
  if (!stopped) return;
  const { runsStopped, grantsRevoked, failed } = stopped;
  const rest = failed === undefined ? "" : fill(say.couldNotBeStoppedLookAt, failed);
  const done = fill(
    say.stoppedEnded,
    countText(runsStopped, say.run, say.runs2),
    countText(grantsRevoked, say.permission, say.permissions),
  );
  app.toasts.show(`${done}${rest}`, {
    tone: failed === undefined ? "info" : "bad",
  });
}
