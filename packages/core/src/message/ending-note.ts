/** The gateway's own sentence about how an answer ended, where one is due: told with the reply, and again wherever it is read later. */
export function endingNote(isSilent: boolean, stopReason: string | undefined): string | undefined {
  if (isSilent) return "The model ended its turn without saying anything. Ask again, or in other words.";
  if (stopReason === "max_tokens")
    return 'The answer reached its length limit and stops in the middle. Say "continue" for the rest.';
  return undefined;
}
