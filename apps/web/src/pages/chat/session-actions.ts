import type { WireSession } from "@elwood/core/protocol/shapes";
import { html, nothing, render } from "lit";
import type { AppContext } from "../../app/context.ts";
import { RequestError } from "@elwood/sdk/client";
import { countText } from "../../parts/format.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

/** What can be done with a session, from the list and from the head of the conversation alike. */

export async function pinSession(app: AppContext, session: WireSession): Promise<void> {
  const { sessionKey, pinned } = session;
  await app.attempt(() => app.link.call("sessions.pin", { sessionKey, pinned: !pinned }));
}

export async function renameSession(app: AppContext, session: WireSession): Promise<void> {
  const title = await askLine({
    heading: say.renameTheSession,
    label: say.title,
    value: session.title,
    charsMax: TITLE_CHARS_MAX,
    yes: say.rename,
  });
  if (title === undefined || title === session.title) return;
  await app.attempt(() => app.link.call("sessions.rename", { sessionKey: session.sessionKey, title }));
}

/** Folders are there as long as something is in them: naming one makes it. */
export async function moveSession(app: AppContext, session: WireSession): Promise<void> {
  const filed = await app.attempt(() => app.link.call("sessions.list", { filed: true, limit: FILED_MAX }));
  if (!filed) return;
  const known = new Set(filed.sessions.flatMap(({ folder }) => folder ?? []));
  const folder = await askLine({
    heading: say.moveToAFolder,
    label: say.folder,
    value: session.folder ?? "",
    charsMax: FOLDER_CHARS_MAX,
    yes: say.move,
    choices: [...known].toSorted((a, b) => a.localeCompare(b)),
  });
  if (folder !== undefined && folder !== session.folder) await putIntoFolder(app, session, folder);
}

/** With the way back to where it was. */
export async function putIntoFolder(
  app: AppContext,
  { sessionKey, title, folder: kept }: WireSession,
  folder: string | null,
): Promise<void> {
  const before = kept ?? null;
  const put = (to: string | null) =>
    app.attempt(() => app.link.call("sessions.move", { sessionKey, folder: to }));
  if (!(await put(folder))) return;
  const where =
    folder === null ? fill(say.outOf, spokenText(before ?? "")) : fill(say.in, spokenText(folder));
  app.toasts.show(fill(say.isNow, spokenText(title), where), {
    action: { label: say.undo, run: () => void put(before) },
  });
}

/** Out of the way, with the way back; or back. */
export async function archiveSession(
  app: AppContext,
  { sessionKey, title, archivedAt }: WireSession,
): Promise<boolean> {
  const put = (archived: boolean) =>
    app.attempt(() => app.link.call("sessions.archive", { sessionKey, archived }));
  const archived = archivedAt === undefined;
  if (!(await put(archived))) return false;
  if (archived)
    app.toasts.show(fill(say.isArchivedANewMessageBrings, title), {
      action: { label: say.undo, run: () => void put(false) },
    });
  return true;
}

/** Into the trash, with the way back. */
export async function deleteSession(app: AppContext, session: WireSession): Promise<boolean> {
  const { sessionKey } = session;
  const done = await app.attempt(() => app.link.call("sessions.delete", { sessionKey }));
  if (!done) return false;
  app.toasts.show(fill(say.isInTheTrashFor30, session.title), {
    action: { label: say.undo, run: () => void restoreSession(app, session) },
  });
  return true;
}

/** The same for several, with one way back for all of them; `back` hears of each that took it. */
export async function deleteSessions(
  app: AppContext,
  sessionKeys: readonly string[],
  back: (session: WireSession) => void,
): Promise<readonly string[]> {
  const gone: string[] = [];
  await app.attempt(async () => {
    for (const sessionKey of sessionKeys) if (await isDeleted(app, sessionKey)) gone.push(sessionKey);
  });
  const restore = async () => {
    for (const sessionKey of gone) {
      const restored = await app.attempt(() => app.link.call("sessions.restore", { sessionKey }));
      if (!restored) return;
      back(restored.session);
    }
  };
  if (gone.length > 0)
    app.toasts.show(
      fill(
        say.inTheTrashFor30Days,
        countText(gone.length, say.session, say.sessions2),
        gone.length === 1 ? "is" : "are",
      ),
      { action: { label: say.undo, run: () => void restore() } },
    );
  return gone;
}

/** False for one that somebody else deleted meanwhile: it is theirs to bring back. */
async function isDeleted({ link }: AppContext, sessionKey: string): Promise<boolean> {
  try {
    await link.call("sessions.delete", { sessionKey });
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.reason === "NOT_FOUND") return false;
    throw error;
  }
}

export async function restoreSession(app: AppContext, { sessionKey }: WireSession): Promise<void> {
  const restored = await app.attempt(() => app.link.call("sessions.restore", { sessionKey }));
  if (restored) app.router.go(`/c/${encodeURIComponent(sessionKey)}`);
}

export async function exportSession(
  app: AppContext,
  { sessionKey }: WireSession,
  format: "markdown" | "json",
): Promise<void> {
  const file = await app.attempt(() => app.link.call("sessions.export", { sessionKey, format }));
  if (!file) return;
  const url = URL.createObjectURL(new Blob([file.content], { type: file.mime }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file.filename;
  link.click();
  URL.revokeObjectURL(url);
}

const TITLE_CHARS_MAX = 120;
const FOLDER_CHARS_MAX = 60;
const FILED_MAX = 200;

interface Line {
  readonly heading: string;
  readonly label: string;
  readonly value: string;
  readonly charsMax: number;
  readonly yes: string;
  /** What was used before, to choose from. */
  readonly choices?: readonly string[];
}

function askLine({ heading, label, value, charsMax, yes, choices = [] }: Line): Promise<string | undefined> {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "dialog";
    dialog.setAttribute("aria-labelledby", "rename-title");
    const submit = (event: Event) => {
      event.preventDefault();
      dialog.close(dialog.querySelector("input")?.value.trim() ?? "");
    };
    render(
      html`<h2 id="rename-title">${heading}</h2>
        <form class="rename" @submit=${submit}>
          <label for="rename-input">${label}</label>
          <input
            id="rename-input"
            list=${choices.length === 0 ? nothing : "rename-choices"}
            .value=${value}
            maxlength=${charsMax}
            autocomplete="off"
            required
          />
          <datalist id="rename-choices">
            ${choices.map((choice) => html`<option value=${choice}></option>`)}
          </datalist>
          <div class="dialog-buttons">
            <button type="button" @click=${() => dialog.close()}>${say.cancel}</button>
            <button type="submit" class="primary">${yes}</button>
          </div>
        </form>`,
      dialog,
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "" ? undefined : dialog.returnValue);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("input")?.select();
  });
}
