import { counted } from "../base/relative-time.ts";

/** How much was forgotten, of what people know: "4 messages, 2 lines of 1 note". Empty where that is nothing. */
export function forgottenWords(removed: readonly Readonly<Record<string, number>>[]): string {
  const sum = (name: string) => removed.reduce((all, each) => all + (each[name] ?? 0), 0);
  const parts: readonly (readonly [number, string])[] = [
    [sum("sessions"), counted(sum("sessions"), "session")],
    [sum("messages"), counted(sum("messages"), "message")],
    [sum("noteLines"), `${counted(sum("noteLines"), "line")} of ${counted(sum("notes"), "note")}`],
    [sum("calls"), `what ${counted(sum("calls"), "call")} used`],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([, words]) => words)
    .join(", ");
}
