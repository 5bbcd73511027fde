import type { MethodParams } from "@elwood/core/protocol/methods";
import type { WireMessage } from "@elwood/core/protocol/shapes";

/** What began a run, as it would be said again. */
export type Said = Pick<MethodParams<"chat.send">, "message" | "parts">;

type Part = NonNullable<Said["parts"]>[number];

/** The owner's message with all that came with it, or nothing where something else set the run off. */
export function saidIn(messages: readonly WireMessage[], runId: string): Said | undefined {
  const asked = messages.find(
    (each) => each.runId === runId && each.role === "user" && each.origin === "owner",
  );
  if (!asked) return undefined;
  const own: string[] = [];
  const parts: Part[] = [];
  for (const block of asked.blocks) {
    const { origin = "owner" } = "origin" in block ? block : {};
    if (block.type === "text" && origin === "owner") own.push(block.text);
    else if (block.type === "text" && (origin === "piped" || origin === "quoted" || origin === "forwarded"))
      parts.push({ kind: "text", text: block.text, origin });
    else if (block.type === "image" || block.type === "file")
      parts.push({
        kind: "blob",
        blobId: block.blobId,
        origin: "attached",
        ...(block.name === undefined ? {} : { name: block.name }),
      });
  }
  return { message: own.join("\n\n"), ...(parts.length > 0 ? { parts } : {}) };
}

/**
 * The command that says the same again in its session. It needs no token in it: the command
 * line has its own. Nothing where files came with the message, which it cannot attach.
 */
export function commandFor({ message, parts = [] }: Said, sessionKey: string): string | undefined {
  const texts = parts.map((part) =>
    part.kind === "text" && part.origin === "piped" ? part.text : undefined,
  );
  if (texts.includes(undefined) || texts.length > 1 || message === "") return undefined;
  const command = `elwood --session ${quoted(sessionKey)} -- ${quoted(message)}`;
  return texts[0] === undefined ? command : `printf %s ${quoted(texts[0])} | ${command}`;
}

/** As one word of a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
