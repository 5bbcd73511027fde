import type { InputMessage } from "@elwood/core/action/execution-shapes";
import { failure, type Failure } from "@elwood/core/base/failure";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Block, Message } from "@elwood/core/message/message";

/** Messages of a program as a model is sent them. */
export interface ModelInput {
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  /** Pictures that came along, by the ids in the messages. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

const IMAGE = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+={0,2})$/;

/** Nothing in them is the owner's word; whoever reads `origin` later sees a program's. */
export function modelInput(
  given: readonly InputMessage[],
  options: { readonly now: number; readonly clean: (text: string) => string },
): Result<ModelInput, Failure> {
  const { now, clean } = options;
  const system: string[] = [];
  const messages: Message[] = [];
  const blobs = new Map<string, Uint8Array>();
  const asked = new Set<string>();
  for (const [i, message] of given.entries()) {
    const add = (role: Message["role"], origin: Message["origin"], blocks: Block[]) =>
      messages.push({ id: `m${i}`, ts: now, role, origin, blocks });
    switch (message.role) {
      case "system":
        system.push(clean(message.content));
        break;
      case "user": {
        const parts =
          typeof message.content === "string"
            ? [{ type: "text" as const, text: message.content }]
            : message.content;
        const blocks: Block[] = [];
        for (const part of parts) {
          if (part.type === "text") {
            if (part.text !== "") blocks.push({ type: "text", text: clean(part.text) });
            continue;
          }
          const [, mime, data] = IMAGE.exec(part.url) ?? [];
          if (mime === undefined || data === undefined)
            return err(
              bad(`messages[${i}]: a picture is written data:image/png;base64,…; nothing is fetched.`),
            );
          const blobId = `picture-${blobs.size}`;
          blobs.set(
            blobId,
            Uint8Array.from(atob(data), (char) => char.charCodeAt(0)),
          );
          blocks.push({ type: "image", mime, blobId });
        }
        if (blocks.length > 0) add("user", "program", blocks);
        break;
      }
      case "assistant": {
        const blocks: Block[] = [];
        if (message.content) blocks.push({ type: "text", text: clean(message.content) });
        for (const { id, name, args } of message.tool_calls ?? []) {
          asked.add(id);
          blocks.push({ type: "tool_use", callId: id, toolId: name, input: args ?? {} });
        }
        if (blocks.length > 0) add("assistant", "model", blocks);
        break;
      }
      case "tool":
        if (!asked.delete(message.tool_call_id))
          return err(bad(`messages[${i}]: no call "${message.tool_call_id}" was asked for before it.`));
        add("tool", "tool", [
          { type: "tool_result", callId: message.tool_call_id, status: "ok", text: clean(message.content) },
        ]);
    }
  }
  if (asked.size > 0) return err(bad(`The call "${[...asked][0]}" has no result in the messages.`));
  if (messages.length === 0) return err(bad("There is nothing to answer: give messages, or a template."));
  return ok({ system, messages, blobs });
}

function bad(text: string): Failure {
  return failure("INVALID_INPUT", `${text} Nothing was sent.`);
}
