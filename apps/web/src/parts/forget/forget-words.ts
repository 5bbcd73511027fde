import type { WireForgetReport } from "@elwood/core/protocol/memory-shapes";
import { countText } from "../format.ts";

/** What goes or went, in words, the most telling first. */
export function removedWords({ removed }: Pick<WireForgetReport, "removed">): string[] {
  const { noteLines, notes, sessions, messages, recalls, summaries, calls, approvals } = removed;
  const { bodies, grants, titles, files, copies, backups } = removed;
  const parts: readonly [number, string][] = [
    [sessions, countText(sessions, "session")],
    [noteLines, `${countText(noteLines, "line")} of ${countText(notes, "note")}`],
    [messages, countText(messages, "message")],
    [recalls, countText(recalls, "recalled passage")],
    [summaries, countText(summaries, "summary", "summaries")],
    [calls, `what ${countText(calls, "call")} said`],
    [approvals, countText(approvals, "approval card")],
    [bodies, `contents behind ${countText(bodies, "receipt")}`],
    [grants, `${countText(grants, "standing permission")}, revoked`],
    [titles, countText(titles, "title or preview", "titles and previews")],
    [files, countText(files, "file")],
    [copies, countText(copies, "copy for undoing", "copies for undoing")],
    [backups, countText(backups, "backup")],
  ];
  return parts.flatMap(([count, words]) => (count > 0 ? [words] : []));
}

/** `memory/default/home.md#4` as people call it. */
export function placeWords(source: string, line: number): string {
  const note = /^memory\/[^/]+\/(.+)\.md$/.exec(source)?.[1];
  return note === undefined ? `conversation, line ${line}` : `${note}, line ${line}`;
}

/** Where a place is shown on the page. */
export function placeHref(source: string, sessionKey: string | undefined): string | undefined {
  const note = /^memory\/[^/]+\/([^/]+)\.md$/.exec(source)?.[1];
  if (note !== undefined) return `/memory/${encodeURIComponent(note)}`;
  const session = sessionKey ?? /^sessions\/[^/]+\/([^/]+)\.jsonl$/.exec(source)?.[1];
  return session === undefined ? undefined : `/c/${encodeURIComponent(session)}`;
}
