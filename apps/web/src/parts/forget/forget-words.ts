import type { WireForgetReport } from "@elwood/core/protocol/memory-shapes";
import { countText } from "../format.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";

/** What goes or went, in words, the most telling first. */
export function removedWords({ removed }: Pick<WireForgetReport, "removed">): string[] {
  const { noteLines, notes, sessions, messages, recalls, summaries, calls, approvals } = removed;
  const { bodies, grants, titles, files, copies, backups } = removed;
  const parts: readonly [number, string][] = [
    [sessions, countText(sessions, say.session, say.sessions)],
    [
      noteLines,
      fill(say.of, countText(noteLines, say.line, say.lines), countText(notes, say.note, say.notes)),
    ],
    [messages, countText(messages, say.message, say.messages)],
    [recalls, countText(recalls, say.recalledPassage, say.recalledPassages)],
    [summaries, countText(summaries, say.summary, say.summaries)],
    [calls, fill(say.whatSaid, countText(calls, say.call, say.calls))],
    [approvals, countText(approvals, say.approvalCard, say.approvalCards)],
    [bodies, fill(say.contentsBehind, countText(bodies, say.receipt, say.receipts))],
    [grants, fill(say.revoked, countText(grants, say.standingPermission, say.standingPermissions))],
    [titles, countText(titles, say.titleOrPreview, say.titlesAndPreviews)],
    [files, countText(files, say.file, say.files)],
    [copies, countText(copies, say.copyForUndoing, say.copiesForUndoing)],
    [backups, countText(backups, say.backup, say.backups)],
  ];
  return parts.flatMap(([count, words]) => (count > 0 ? [words] : []));
}

/** `memory/default/home.md#4` as people call it. */
export function placeWords(source: string, line: number): string {
  const note = /^memory\/[^/]+\/(.+)\.md$/.exec(source)?.[1];
  return note === undefined ? fill(say.conversationLine, line) : fill(say.line2, note, line);
}

/** Where a place is shown on the page. */
export function placeHref(source: string, sessionKey: string | undefined): string | undefined {
  const note = /^memory\/[^/]+\/([^/]+)\.md$/.exec(source)?.[1];
  if (note !== undefined) return `/memory/${encodeURIComponent(note)}`;
  const session = sessionKey ?? /^sessions\/[^/]+\/([^/]+)\.jsonl$/.exec(source)?.[1];
  return session === undefined ? undefined : `/c/${encodeURIComponent(session)}`;
}
