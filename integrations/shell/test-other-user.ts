/** Runs one approved command, in a process of its own: `node test-other-user.ts <root> <state> <script>`. */
import { shellTools } from "./index.ts";

const [root = "", state = "", script = ""] = process.argv.slice(2);
const [tool] = shellTools({
  root,
  writable: true,
  denied: [state],
  autoRun: true,
  dangerousPatterns: [],
  dangerous: "ask",
  envNames: [],
  environment: {},
  timeoutMs: 60_000,
  requireCage: true,
  holdsAgents: false,
  userHome: root,
  isSecret: () => false,
});
const context = {
  callId: "call-1",
  session: "ses_1",
  idempotencyKey: "key-1",
  signal: new AbortController().signal,
  progress: () => undefined,
  fetch: globalThis.fetch,
  secrets: {},
};
const answer = (await tool!.handler({ argv: ["bash", "-c", script] }, context)) as { text?: string };
process.stdout.write(answer.text ?? "");
