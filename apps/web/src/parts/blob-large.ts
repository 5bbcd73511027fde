import { html, render } from "lit";
import { icon } from "./icon.ts";

/** A picture as large as the window allows, with its name. Escape, the button or a press beside it closes it; the focus returns. */
export function showLarge(url: string, name: string, download: () => void): void {
  if (document.querySelector("dialog.large")) return;
  const dialog = document.createElement("dialog");
  dialog.className = "large";
  dialog.setAttribute("aria-label", name);
  const close = () => dialog.close();
  render(
    html`<img src=${url} alt=${name} />
      <div class="large-bar">
        <span>${name}</span>
        <button type="button" @click=${download}>${icon("download", 16)}Download</button>
        <button type="button" autofocus @click=${close}>${icon("close", 16)}Close</button>
      </div>`,
    dialog,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
