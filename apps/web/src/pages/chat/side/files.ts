import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { SessionFile } from "@elwood/core/protocol/call-shapes";
import { iconOf } from "../../../parts/calls/call-words.ts";
import { undoCall } from "../../../parts/calls/undo-call.ts";
import { icon } from "../../../parts/icon.ts";
import { timeAgo } from "../../../parts/small.ts";
import type { SidePanel } from "./side-panel.ts";
import { activityBadge, receiptLink, type PanelData } from "./panel-data.ts";
import { say } from "../../../words/en/chat.ts";
import { fill } from "../../../words/fill.ts";
import { stateText } from "../../../words/states.ts";
import "../../../parts/blob-view.ts";

export const NO_FILES = {
  icon: "file",
  get title() {
    return say.noFilesYet;
  },
  get text() {
    return say.whatYouAttachStandsHereAnd;
  },
} as const;

/** What a call did, once its receipt says so. */
const DONE: Readonly<Record<string, string>> = {
  write: "written",
  edit: "edited",
  move: "moved",
  delete: "deleted",
};

/** What came in and went out: attachments, and files that calls changed or handed over. */
export async function files(side: SidePanel): Promise<PanelData | undefined> {
  const { app, sessionKey, limit } = side;
  const found = await app.link.call("sessions.files", { sessionKey, limit });
  if (found.files.length === 0) return undefined;
  return {
    view: () =>
      html`<ul class="side-list">
          ${repeat(found.files, keyOf, (file) => row(side, file))}
        </ul>
        ${side.more(found.next)}`,
  };
}

function row(side: SidePanel, { at, runId, name = say.aFile, blobs, call }: SessionFile): TemplateResult {
  const verb = call?.toolId.split(".").at(-1) ?? "";
  const done = call?.status === "succeeded";
  const what = call ? (done ? (DONE[verb] ?? say.handedOver) : verb) : "attached";
  return html`<li>
    ${call && blobs[0]?.name !== name ? html`<span class="side-what">${icon(iconOf(call.toolId), 16)}${name}</span>` : nothing}
    ${blobs.map(
      ({ blobId, name: called = name }) =>
        // Without a kind it is offered, not shown.
        html`<elwood-blob-view
          .app=${side.app}
          .blobId=${blobId}
          .mime=${""}
          .name=${called}
        ></elwood-blob-view>`,
    )}
    <span class="side-facts"
      >${call && !done ? activityBadge(call.status, call.asks) : nothing}
      ${stateText(what)}${call?.undone ? say.undoneSince2 : ""} ${timeAgo(at)}
      <a href=${side.turnHref(runId)}>${say.message2}</a> ${call ? receiptLink(call.receiptId) : nothing}
      ${
        call?.canUndo && side.app.link.may("approve")
          ? html`<button
              type="button"
              class="quiet"
              aria-label=${fill(say.undo2, name)}
              @click=${async () => (await undoCall(side.app, call.callId)) && side.refresh()}
            >
              ${icon("undo", 14)}${say.undo}
            </button>`
          : nothing
      }</span
    >
  </li>`;
}

function keyOf({ at, call, blobs }: SessionFile): string {
  return call?.callId ?? `${at} ${blobs[0]?.blobId}`;
}
