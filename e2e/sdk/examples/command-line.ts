/** An assistant in a terminal: lines in, answers out. */
import type { Assistant } from "@elwood/sdk";

export async function converse(
  assistant: Assistant,
  lines: AsyncIterable<string>,
  write: (text: string) => void,
): Promise<void> {
  const conversation = assistant.openConversation(assistant.newConversationId());
  for await (const line of lines) {
    for await (const event of conversation.stream(line)) {
      if (event.type === "text_delta") write(event.text);
      if (event.type === "human_input_required") write(`\n(waiting for: ${event.prompt})\n`);
    }
    write("\n");
  }
  await conversation.end();
}
