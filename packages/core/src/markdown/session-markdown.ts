import { callForPeople, endingInWords, isUnknown } from "./call-for-people.ts";
import { recalledForPeople, resultForPeople } from "../message/for-people.ts";
import type { LocalTime } from "../base/local-time.ts";
import { isBetweenLaps, type Block, type Message, type ToolResultBlock } from "../message/message.ts";
import { blocksAsText } from "./reply-blocks.ts";
import type { Session } from "../message/session.ts";

/**
 * A session as a document a person can keep: who said what and when, calls and their results
 * included, and nothing that was meant for the model alone.
 */
export function sessionAsMarkdown(session: Session, messages: readonly Message[], time: LocalTime): string {
  const head = [
    `# ${session.title}`,
    "",
    `Session \`${session.id}\`, agent \`${session.agentId}\`, begun ${time.format(session.createdAt)} (${time.timeZone}).`,
  ];
  const shown = messages.filter((message) => !isBetweenLaps(message));
  const results = new Map(
    messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === "tool_result" ? [[block.callId, block] as const] : [])),
    ),
  );
  const body = shown.flatMap((message) => [
    "",
    `## ${speaker(message)} · ${time.format(message.ts)}`,
    "",
    ...blocksAsText(message).flatMap((block) => blockLines(block, results)),
    ...(message.meta?.evidence ? [`_Evidence:_ ${message.meta.evidence}`, ""] : []),
  ]);
  return `${[...head, ...body].join("\n").trimEnd()}\n`;
}

function speaker(message: Message): string {
  if (message.role === "user") return "You";
  if (message.role === "tool") return message.origin === "recalled" ? "Memory" : "Tool";
  return message.origin === "gateway" ? "Elwood" : "Assistant";
}

function blockLines(block: Block, results: ReadonlyMap<string, ToolResultBlock>): string[] {
  switch (block.type) {
    case "text":
      if (block.origin === "recalled") return [fenced(recalledForPeople(block.text)), ""];
      return block.origin && block.origin !== "owner" && block.origin !== "gateway"
        ? [`_${block.origin}:_`, "", fenced(block.text), ""]
        : [block.text, ""];
    case "thinking":
      return [];
    case "tool_use": {
      const { words } = callForPeople(block, results.get(block.callId));
      // What a program is for says more than its source.
      if (block.toolId === "program.code.run") return [`Call \`${block.callId}\`: ${words}`, ""];
      const unknown = isUnknown(block.toolId, results.get(block.callId)) ? "an unknown tool " : "";
      return [
        `Call \`${block.callId}\` of ${unknown}\`${block.toolId}\`:`,
        "",
        fenced(JSON.stringify(block.input, null, 2), "json"),
        "",
      ];
    }
    case "tool_result": {
      const text = block.status === "ok" ? resultForPeople(block.text) : "";
      const head = `Result of \`${block.callId}\`: ${endingInWords(block)}`;
      return text === "" ? [head, ""] : [head, "", fenced(text), ""];
    }
    case "image":
      return [`[picture ${block.name ?? block.blobId}, ${block.mime}]`, ""];
    case "file":
      return [`[file ${block.name}, ${block.mime}, ${block.bytes} bytes]`, ""];
    case "compaction":
      // The sentence beside it says that there is one; what it says is for the model.
      return [];
    default: {
      const never: never = block;
      throw new Error(`unknown block ${JSON.stringify(never)}`);
    }
  }
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
