/**
 * A program with two assistants that pay, in a process of its own, so that a test can kill it in the middle. The
 * tool of one may be run again under the same key, that of the other may not.
 *
 *     node paying-program.ts <gateway|local> <home> <its model> <the other's model> [<conversation> <conversation>]
 *
 * Payments are lines of the file `<home>-world`. Without conversations that go on, a payment never ends.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { Assistant, GatewayEngine, Tool, type ICoreEngineClient } from "@elwood/sdk";
import { LocalEngine } from "@elwood/sdk/local";

const [kind, home = "", ...rest] = process.argv.slice(2);
const [models, conversations] = [rest.slice(0, 2), rest.slice(2)];

const engine = kind === "local" ? new LocalEngine({ home }) : new GatewayEngine({ home });
await Promise.all([
  payingAssistant("plain", models[0]!, conversations[0], engine),
  payingAssistant("careful", models[1]!, conversations[1], engine),
]);
await engine.close();

async function payingAssistant(
  id: "plain" | "careful",
  model: string,
  conversationId: string | undefined,
  coreEngineClient: ICoreEngineClient,
): Promise<void> {
  const pay = new Tool({
    name: "pay",
    description: "Pays.",
    inputSchema: { type: "object" },
    idempotent: id === "careful",
    async execute(_args, conversation, { idempotencyKey }) {
      if (id === "plain" || !isBooked(idempotencyKey)) appendFileSync(world(), `${id} ${idempotencyKey}\n`);
      tell({ id, begun: conversation });
      if (conversationId === undefined) await new Promise(() => {});
      return "paid";
    },
  });
  const about = { id, name: "Till", role: "", personality: "", model, tools: [pay] };
  const assistant = new Assistant({ ...about, coreEngineClient });
  const conversation =
    conversationId === undefined
      ? assistant.startConversation("Pay.")
      : assistant.openConversation(conversationId);
  if (conversationId !== undefined) await conversation.resume({ afterSeq: 0 });
  for await (const event of conversation) {
    if (event.type === "human_input_required" && event.kind === "approval")
      await conversation.submitHumanInput("yes", event.inputStepId);
    if (event.type === "activity") tell({ id, ended: event.activity.map(({ status }) => status).join() });
    if (event.type === "turn_end") return;
  }
}

function world(): string {
  return `${home}-world`;
}

/** A bank that knows such keys books once under each. */
function isBooked(key: string): boolean {
  return existsSync(world()) && readFileSync(world(), "utf8").includes(` ${key}\n`);
}

function tell(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}
