import type { WireTool } from "@elwood/core/protocol/tool-shapes";
import type { GatewayClient } from "@elwood/sdk/client";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";

export interface ToolGrantDeps {
  readonly client: GatewayClient;
}

/** `elwood tools grant <tool>`: shows what the tool may do, and knows it as it is from then on. */
export async function grantTool(
  io: Io,
  { client }: ToolGrantDeps,
  options: { readonly toolId: string; readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  const { tool } = await client.call("tools.get", { toolId: options.toolId });
  const { toolId, contractHash, standing } = tool;
  if (standing === "granted") {
    if (options.json) io.stdout.write(`${JSON.stringify({ toolId, granted: true, changed: false })}\n`);
    else io.stdout.write(`${toolId} is granted already.\n`);
    return EXIT.ok;
  }
  if (!options.json) io.stderr.write(`${reach(tool).map(visibleText).join("\n")}\n\n`);
  if (!options.yes) {
    if (!canAsk(io)) {
      io.stderr.write(
        `Nothing was granted. To grant it without a question: elwood tools grant ${toolId} --yes\n`,
      );
      return EXIT.failed;
    }
    if (!(await confirm(io, `Grant ${toolId} as it is now?`))) {
      io.stderr.write("Nothing was granted.\n");
      return EXIT.denied;
    }
  }
  await client.call("tools.grant", { toolId, contractHash });
  if (options.json) io.stdout.write(`${JSON.stringify({ toolId, granted: true, changed: true })}\n`);
  else io.stdout.write(`Granted. ${afterwards(tool)}\n`);
  return EXIT.ok;
}

/** `elwood tools revoke <tool>` */
export async function revokeTool(
  io: Io,
  { client }: ToolGrantDeps,
  options: { readonly toolId: string; readonly json: boolean },
): Promise<number> {
  await client.call("tools.revoke", { toolId: options.toolId });
  if (options.json) io.stdout.write(`${JSON.stringify({ toolId: options.toolId, granted: false })}\n`);
  else io.stdout.write(`Revoked. ${visibleText(options.toolId)} asks for every call again.\n`);
  return EXIT.ok;
}

function reach(tool: WireTool): string[] {
  const { hosts = [], secrets, secretsMissing = [], network } = tool;
  const state =
    tool.standing === "changed" ? "It is not the one that you granted before." : "It is new to you.";
  return [
    `${tool.toolId}: ${tool.description}`,
    `  ${state}`,
    `  risk      ${RISK_WORDS[tool.risk]}`,
    `  reaches   ${hosts.length === 0 ? "nothing on the web" : hosts.join(", ")}`,
    ...(network === "not-enforced"
      ? ["            not enforced here: without bubblewrap it could open other connections (elwood doctor)"]
      : []),
    `  secrets   ${secrets.length === 0 ? "none" : secrets.join(", ")}`,
    ...(secretsMissing.length > 0
      ? [`            not there yet: ${secretsMissing.join(", ")} (see tools.secrets in the configuration)`]
      : []),
  ];
}

const RISK_WORDS: Readonly<Record<WireTool["risk"], string>> = {
  read: "it says that it changes nothing",
  write: "it changes something",
  destructive: "it does what cannot be taken back",
};

function afterwards({ toolId, risk, labels }: WireTool): string {
  if (risk === "destructive") return "Its calls still ask, as all do that cannot be taken back.";
  if (risk === "read" && labels.egress === "none")
    return "Its calls run unasked from now on, unless your rules say otherwise.";
  const what = labels.egress === "none" ? "change something" : "send something out";
  return `Its calls still ask where they ${what} that you did not say yourself; on such a question you can allow it for longer. What a call would meet: elwood policy explain ${toolId}`;
}
