import { Assistant } from "@elwood/sdk";

const about = { id: "florist", name: "Flora", role: "sells flowers", personality: "" };
const florist = new Assistant({ ...about, tools: [] });
const conversation = florist.openConversation(florist.newConversationId());
for (const line of ["I need a bunch.", "Roses, please."])
  for await (const event of conversation.stream(line))
    if (event.type === "text_delta") process.stdout.write(event.text);
await florist.close();
