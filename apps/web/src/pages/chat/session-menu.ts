import type { WireSession } from "@elwood/core/protocol/shapes";
import { html, render } from "lit";
import type { AppContext } from "../../app/context.ts";
import { icon, type IconName } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { makeMenu } from "../../parts/menu.ts";
import {
  archiveSession,
  deleteSession,
  exportSession,
  moveSession,
  pinSession,
  putIntoFolder,
  renameSession,
} from "./session-actions.ts";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

interface Choice {
  readonly icon: IconName;
  readonly words: string;
  readonly run: () => void;
}

/** The menu of one session, beside the button that opens it. Arrow keys walk it, Escape closes it. */
export function openSessionMenu(
  app: AppContext,
  session: WireSession,
  button: HTMLElement,
  more: { readonly deleted?: () => void; readonly fork?: () => void } = {},
): void {
  const choices: Choice[] = [
    { icon: "pencil", words: say.rename2, run: () => void renameSession(app, session) },
    ...(app.link.has("sessions.configure")
      ? [{ icon: "gear", words: say.settings3, run: () => void settings() } as const]
      : []),
    { icon: "pin", words: session.pinned ? say.unpin : say.pin, run: () => void pinSession(app, session) },
    ...(app.link.has("sessions.archive")
      ? [
          {
            icon: "archive",
            words: session.archivedAt === undefined ? say.archive : say.backToTheList,
            run: () => void archive(),
          } as const,
        ]
      : []),
    ...(app.link.has("sessions.move")
      ? [{ icon: "folder", words: say.moveToAFolder2, run: () => void moveSession(app, session) } as const]
      : []),
    ...(app.link.has("sessions.move") && session.folder !== undefined
      ? [
          {
            icon: "undo",
            words: fill(say.takeOutOf, spokenText(session.folder)),
            run: () => void putIntoFolder(app, session, null),
          } as const,
        ]
      : []),
    ...(more.fork ? [{ icon: "branch", words: say.branchFromHere, run: more.fork } as const] : []),
    {
      icon: "download",
      words: say.exportAsMarkdown,
      run: () => void exportSession(app, session, "markdown"),
    },
    { icon: "download", words: say.exportAsJson, run: () => void exportSession(app, session, "json") },
    { icon: "trash", words: "Delete", run: () => void remove() },
    ...(app.link.has("memory.forget") && app.link.may("approve")
      ? [{ icon: "denied", words: say.forgetForGood, run: () => void forget() } as const]
      : []),
  ];
  const menu = makeMenu(button, "menu", fill(say.session2, spokenText(session.title)));
  const choose = ({ run }: Choice) => {
    menu.close();
    run();
  };
  render(
    choices.map(
      (choice) =>
        html`<button type="button" role="menuitem" class="quiet" @click=${() => choose(choice)}>
          ${icon(choice.icon, 16)}${choice.words}
        </button>`,
    ),
    menu.element,
  );
  menu.place();
  menu.element.querySelector("button")?.focus();

  async function settings(): Promise<void> {
    const { sessionSettingsDialog } = await import("./session-settings.ts");
    await sessionSettingsDialog(app, session);
  }

  async function archive(): Promise<void> {
    if ((await archiveSession(app, session)) && session.archivedAt === undefined) more.deleted?.();
  }

  async function remove(): Promise<void> {
    if (await deleteSession(app, session)) more.deleted?.();
  }

  async function forget(): Promise<void> {
    const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
    const { sessionKey, title } = session;
    if (await forgetDialog(app, fill(say.forgetForGood2, spokenText(title)), { session: sessionKey }))
      more.deleted?.();
  }
}
