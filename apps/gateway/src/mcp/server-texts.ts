import type { GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client";
import { isRecord } from "@elwood/core/base/is-record";
import { showLine } from "@elwood/core/base/show";
import { MCP_LIMITS } from "./limits.ts";

/** Something a server offers to read, as it says itself. */
export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A text that a server prepares for a conversation. */
export interface ServerPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

const line = (text: unknown): string => showLine(String(text)).slice(0, MCP_LIMITS.schemaTextCharsMax);
const described = (each: Record<string, unknown>) =>
  typeof each["description"] === "string" ? { description: line(each["description"]) } : {};

/** Those that can be asked for; the rest of a list is left out. */
export function readResources(listed: readonly unknown[]): ServerResource[] {
  return listed
    .filter(isRecord)
    .flatMap((each): ServerResource[] => {
      const { uri, name, title, mimeType } = each;
      if (typeof uri !== "string" || uri === "" || uri.length > MCP_LIMITS.uriCharsMax) return [];
      return [
        {
          uri,
          name: line(title ?? name ?? uri),
          ...described(each),
          ...(typeof mimeType === "string" && { mimeType: line(mimeType) }),
        },
      ];
    })
    .slice(0, MCP_LIMITS.resourcesMax);
}

export function readPrompts(listed: readonly unknown[]): ServerPrompt[] {
  return listed
    .filter(isRecord)
    .flatMap((each): ServerPrompt[] => {
      const { name, arguments: given } = each;
      if (typeof name !== "string" || name === "" || name.length > MCP_LIMITS.schemaTextCharsMax) return [];
      const all = Array.isArray(given) ? given.filter(isRecord) : [];
      return [
        {
          name,
          ...described(each),
          arguments: all.slice(0, MCP_LIMITS.promptArgumentsMax).map((one) => ({
            name: String(one["name"]),
            ...described(one),
            required: one["required"] === true,
          })),
        },
      ];
    })
    .slice(0, MCP_LIMITS.resourcesMax);
}

/** The text of a resource; undefined where it has none. */
export function resourceText({ contents }: ReadResourceResult): string | undefined {
  const texts = contents.flatMap((each) => ("text" in each ? [each.text] : []));
  return texts.length === 0 ? undefined : cut(texts.join("\n\n"));
}

/** What a prompt says, with who is to say it; pictures and the like are named only. */
export function promptText({ messages }: GetPromptResult): string {
  const texts = messages.map(({ role, content }) => {
    const words =
      content.type === "text"
        ? content.text
        : content.type === "resource" && "text" in content.resource
          ? content.resource.text
          : `[${content.type}]`;
    return messages.length === 1 ? words : `${role}: ${words}`;
  });
  return cut(texts.join("\n\n"));
}

function cut(text: string): string {
  const max = MCP_LIMITS.textCharsMax;
  return text.length <= max
    ? text
    : `${text.slice(0, max).toWellFormed()}\n(${text.length - max} more characters were left out.)`;
}
