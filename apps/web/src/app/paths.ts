/** Where a conversation is shown: at its end, or at the turn of one of its runs. */
export function conversationPath(sessionKey: string, runId?: string): string {
  const path = `/c/${encodeURIComponent(sessionKey)}`;
  return runId === undefined ? path : `${path}?run=${encodeURIComponent(runId)}`;
}
