import type { WireSession } from "@elwood/core/protocol/shapes";
import { html, nothing, render } from "lit";
import type { AppContext } from "../../app/context.ts";
import { say } from "../../words/en/chat.ts";

/** Model, account, added instructions, sampling and tools of one session; what is left empty is as usual. */
export async function sessionSettingsDialog(app: AppContext, session: WireSession): Promise<void> {
  const { link } = app;
  const [listed, accounts] = await Promise.all([
    app.attempt(() => link.call("models.list", {})),
    link.may("admin") ? app.attempt(() => link.call("auth.list", {})) : undefined,
  ]);
  const models = (listed?.providers ?? []).flatMap(({ models: of }) => of.map(({ model }) => model));
  const profiles = (accounts?.profiles ?? []).map(({ id }) => id);
  const dialog = document.createElement("dialog");
  dialog.className = "dialog session-settings";
  dialog.setAttribute("aria-labelledby", "session-settings-title");
  const choice = (name: string, now: string | undefined, usual: string, all: readonly string[]) =>
    html`<select name=${name}>
      <option value="" ?selected=${now === undefined}>${usual}</option>
      ${now === undefined || all.includes(now) ? nothing : html`<option selected>${now}</option>`}
      ${all.map((each) => html`<option ?selected=${each === now}>${each}</option>`)}
    </select>`;
  render(
    html`<h2 id="session-settings-title">${say.settingsOfThisSession}</h2>
      <form
        class="dialog-text session-settings-form"
        @submit=${(event: Event) => {
          event.preventDefault();
          if (event.currentTarget instanceof HTMLFormElement) void save(event.currentTarget);
        }}
      >
        <label>${say.model2} ${choice("model", session.model, say.theUsualOne, models)}</label>
        ${
          profiles.length === 0 && session.profile === undefined
            ? nothing
            : html`<label
                >${say.keyThatPays}
                ${choice("profile", session.profile, say.whicheverIsFree, profiles)}</label
              >`
        }
        <label
          >${say.instructionsForThisSession}
          <textarea name="system" rows="4" maxlength="8000" .value=${session.system ?? ""}></textarea>
        </label>
        <label
          >${say.temperature}
          <input
            name="temperature"
            type="number"
            min="0"
            max="2"
            step="0.1"
            placeholder=${say.asUsual}
            .value=${session.temperature === undefined ? "" : String(session.temperature)}
          />
        </label>
        <label
          >${say.topP}
          <input
            name="topP"
            type="number"
            min="0.05"
            max="1"
            step="0.05"
            placeholder=${say.asUsual}
            .value=${session.topP === undefined ? "" : String(session.topP)}
          />
        </label>
        <label class="session-settings-tools"
          ><input name="tools" type="checkbox" .checked=${session.tools !== false} />${say.mayUseTools}</label
        >
        <div class="dialog-buttons">
          <button type="button" @click=${() => dialog.close()}>${say.cancel}</button>
          <button type="submit" class="primary">${say.saveSettings}</button>
        </div>
      </form>`,
    dialog,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();

  async function save(form: HTMLFormElement): Promise<void> {
    const data = new FormData(form);
    const text = (name: string) => {
      const value = data.get(name);
      return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
    };
    const number = (name: string) => (text(name) === null ? null : Number(text(name)));
    const saved = await app.attempt(() =>
      link.call("sessions.configure", {
        sessionKey: session.sessionKey,
        model: text("model"),
        ...(data.has("profile") ? { profile: text("profile") } : {}),
        system: text("system"),
        temperature: number("temperature"),
        topP: number("topP"),
        tools: data.has("tools") ? null : false,
      }),
    );
    if (saved) dialog.close();
  }
}
