/** Whether a message of a request is not the owner's, but Elwood telling the model once what does not fit. */
export function isRepairNote(content: unknown): boolean {
  return JSON.stringify(content ?? "").includes("[Elwood, not the owner] Your answer");
}
