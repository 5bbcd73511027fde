import type { CallToolResult } from "@modelcontextprotocol/client";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { showLine } from "@elwood/core/base/show";
import type { ToolAttachment } from "@elwood/core/tool/tool";
import { result, ToolError, type HandlerAnswer } from "@elwood/sdk/tool";
import { MCP_LIMITS } from "./limits.ts";

/** A server's answer as the gate takes it: its words are data, and stay so. Throws where the server says that it failed. */
export function answerOf(server: string, answer: CallToolResult, hasSchema: boolean): HandlerAnswer {
  const { texts, attachments, leftOut } = partsOf(answer);
  const text = texts.join("\n");
  if (answer.isError === true) {
    const message = `The MCP server "${showLine(server)}" answered that the call failed.`;
    throw new ToolError(
      "tool_failed",
      message,
      text === "" ? {} : { quoted: text.slice(0, MCP_LIMITS.errorCharsMax) },
    );
  }
  const structured = answer.structuredContent;
  // The model gets the values, too, unless a text is those already.
  const values =
    structured === undefined || texts.some((each) => isJsonOf(each, structured))
      ? []
      : [JSON.stringify(structured)];
  const shown = [...(text === "" ? [] : [text]), ...values].join("\n");
  const more = leftOut === 0 ? "" : `\n(${leftOut} more parts of the answer were left out.)`;
  return result(structured ?? (hasSchema ? null : text), {
    text: `${shown}${more}`,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(leftOut === 0 ? {} : { truncated: true }),
  });
}

function isJsonOf(text: string, value: unknown): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function partsOf({ content }: CallToolResult) {
  const texts: string[] = [];
  const attachments: ToolAttachment[] = [];
  let leftOut = 0;
  const attach = (attachment: ToolAttachment) => {
    if (attachments.length >= MCP_LIMITS.attachmentsMax || !isBase64(attachment.data)) leftOut += 1;
    else attachments.push(attachment);
  };
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image")
      attach({ type: "image", mimeType: mime(block.mimeType), data: block.data });
    else if (block.type === "audio")
      attach({ type: "file", mimeType: mime(block.mimeType), data: block.data });
    else if (block.type === "resource_link") texts.push(`[link] ${block.name}: ${block.uri}`);
    else if (block.type === "resource") {
      const { resource } = block;
      if ("text" in resource) texts.push(`[${resource.uri}]\n${resource.text}`);
      else
        attach({
          type: "file",
          mimeType: mime(resource.mimeType ?? "application/octet-stream"),
          data: resource.blob,
          name: showLine(resource.uri.split("/").at(-1) ?? "").slice(0, 200),
        });
    } else leftOut += 1;
  }
  return { texts, attachments, leftOut };
}

function mime(written: string): string {
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(written) ? written : "application/octet-stream";
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
