import { showLine } from "@elwood/core/base/show";
import { deedText } from "./deeds.ts";
import { say } from "./en/abilities.ts";

/** What a tool is called where people choose among tools: “Write a file”. Its id stands in the details. */
export function toolName(toolId: string): string {
  return showLine(deedText(toolId, "todo", "").words);
}

/** What it does, for its owner. Of a tool that did not come with Elwood, what its author says of it. */
export function toolAbout(toolId: string, description: string): string {
  const known: Readonly<Record<string, string>> = say;
  return known[toolId] ?? showLine(description);
}

/** The heading over tools of one kind: what their ids begin with. */
export function groupName(group: string): string {
  const known: Readonly<Record<string, string>> = say;
  return known[group] ?? showLine(group.charAt(0).toUpperCase() + group.slice(1));
}
