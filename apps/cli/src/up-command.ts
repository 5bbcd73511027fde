import { join } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { formatModelRef } from "@elwood/core/model/model";
import { chosenModel } from "@elwood/gateway/auth/chosen-model";
import { makeCredentials } from "@elwood/gateway/auth/credentials";
import { modelToName } from "@elwood/gateway/auth/profile";
import { bindFailure } from "@elwood/gateway/config/bind";
import type { LoadedConfig } from "@elwood/gateway/config/load";
import type { Gateway } from "@elwood/gateway/gateway";
import { isLoopbackHost } from "@elwood/gateway/server/guards";
import { readGatewayInfo } from "@elwood/gateway/state/discovery";
import { systemClock } from "@elwood/platform/system";
import { detectOllama } from "@elwood/providers/detect-local-models";
import { findGateway } from "./connect.ts";
import { reportFailure } from "./failure-text.ts";
import { EXIT, ownName, useColor, type Io } from "./io.ts";
import { openBrowser } from "./open-browser.ts";
import { serviceNotifier } from "./service-notify.ts";
import { POLICY_WORDS } from "@elwood/core/base/state-words";
import { RISKS, type Risk } from "@elwood/core/tool/tool";
import { styleText } from "node:util";
import { homedir } from "node:os";
import { failureText, gatewayText, say, type Speaking, stateText } from "./words/say.ts";

interface UpOptions {
  readonly open: boolean;
  readonly version: string;
}

/** `elwood up`: serves until it is told to stop. */
export async function up(
  io: Io,
  loaded: LoadedConfig,
  options: UpOptions,
  start: () => Promise<Gateway>,
): Promise<number> {
  const { config, paths, secrets } = loaded;
  const refused = bindFailure(config.gateway.host, secrets.has("ELWOOD_TOKEN"));
  if (refused) return reportFailure(io, refused, false);
  const gateway = await start().catch((error: unknown) => refusedStart(error, loaded, ownName(io.env)));
  // Not before: it would have a part in every start, and a gateway that is ready can wait for it.
  const looking = detectOllama();
  const stopped = untilStopped(io);
  const manager = serviceNotifier(io.env, systemClock);
  manager.ready(`listening on ${gateway.url}`);
  const url = new URL(gateway.url);
  const model = await gateway.model();
  const link = gateway.loginLink();
  const found = [await looking, ...missingKeys(io, loaded)].filter((line) => line !== undefined);
  const screen = startScreen({
    version: options.version,
    home: paths.home,
    host: config.gateway.host,
    port: Number(url.port || 80),
    loopback: isLoopbackHost(config.gateway.host),
    model: model.ok ? formatModelRef(model.value.ref) : "none",
    demo: model.ok && model.value.demo,
    modelSource: modelSource(io, loaded, model),
    ...(model.ok ? {} : { modelProblem: failureText(io, model.error) }),
    ...gateway.acts(),
    resumed: gateway.recovered.resumed,
    found,
    io,
    notices: [
      ...loaded.notices.map((n) => n.text),
      ...(model.ok && model.value.demo ? await unnamedServers(io, loaded) : []),
      ...gateway.idleRules(),
    ].map((text) => gatewayText(io, text)),
    link,
    self: ownName(io.env),
    color: useColor(io),
  });
  // Where stdout is read by a program it carries log lines only; people find the screen on stderr.
  (io.stdout.isTTY ? io.stdout : io.stderr).write(screen);
  if (options.open && io.stdout.isTTY) openBrowser(link, io.env);
  await stopped;
  manager.stopping();
  if (io.stdout.isTTY) io.stdout.write(`\n  ${say(io, "Stopping.")}\n`);
  const rests = await gateway.close();
  // A tool that does not come to an end is cut off here, as by a crash; the next start finds out what became of it.
  if (!rests) process.exit(EXIT.ok);
  return EXIT.ok;
}

/** A command that waits for the owner keeps Elwood running, which its owner cannot know: then it is named. */
async function refusedStart(error: unknown, loaded: LoadedConfig, self: string): Promise<never> {
  if (!(error instanceof FailureError) || error.failure.reason !== "CONFLICT") throw error;
  const other = readGatewayInfo(loaded.paths.gatewayInfo);
  if (other?.mode !== "oneshot" || !(await waitsForOwner(loaded))) throw error;
  return fail(
    "CONFLICT",
    `An elwood command in another terminal (pid ${other.pid}) is still waiting for your decision and keeps Elwood running on ${loaded.paths.home}. Nothing was started. Decide with ${self} approvals list, or stop that command, then try again.`,
  );
}

/** Whether something waits at the gateway that runs; where that cannot be asked, it is not said. */
async function waitsForOwner(loaded: LoadedConfig): Promise<boolean> {
  try {
    const client = await findGateway(loaded, "cli");
    if (!client) return false;
    try {
      return (await client.call("approvals.list", { status: "pending", limit: 1 })).approvals.length > 0;
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return false;
  }
}

/** Why it is that one, in the order in which it is decided. */
function modelSource(io: Io, loaded: LoadedConfig, model: Awaited<ReturnType<Gateway["model"]>>): string {
  if (loaded.config.model !== undefined) return loaded.origins.get("model") ?? "";
  if (chosenModel(loaded.paths.chosenModel).current() !== undefined) return say(io, "chosen by you");
  const keyFrom = model.ok ? model.value.keyFrom : undefined;
  return keyFrom === undefined ? "" : say(io, "key from {0}", keyFrom);
}

/** Servers that are connected and do not answer, because none of their models is chosen. */
export async function unnamedServers(io: Speaking, loaded: LoadedConfig): Promise<string[]> {
  // Whoever chose the demo wants no other.
  if (loaded.config.model !== undefined || chosenModel(loaded.paths.chosenModel).current() !== undefined)
    return [];
  const credentials = makeCredentials(loaded, systemClock);
  const [server] = await credentials.providersWithKey();
  if (server === undefined) return [];
  const name = modelToName(await credentials.store.read(), server);
  const file = loaded.file ?? join(loaded.paths.home, "config.yaml");
  return [
    say(
      io,
      "{0} is connected, but none of its models is chosen, so the demo answers. Choose one on the page under Models & keys, or with this line in {1}: model: {2}",
      server,
      file,
      name,
    ),
  ];
}

function missingKeys(io: Io, { secrets }: LoadedConfig): string[] {
  return ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"].map((name) => {
    const secret = secrets.get(name);
    return secret ? say(io, "{0} from {1}", name, secret.source) : say(io, "no {0}", name);
  });
}

/** Resolves on the first Ctrl-C or SIGTERM; the second one ends the process at once. */
function untilStopped(io: Io): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (signal: NodeJS.Signals) => {
      if (asked) {
        io.stderr.write(`${say(io, "Stopped at once. Unfinished runs are taken up at the next start.")}\n`);
        process.exit(signal === "SIGINT" ? EXIT.interrupted : EXIT.failed);
      }
      asked = true;
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    process.on("SIGHUP", stop);
  });
}

interface StartScreen {
  readonly version: string;
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly loopback: boolean;
  readonly model: string;
  readonly demo: boolean;
  readonly modelSource: string;
  readonly modelProblem?: string;
  /** The risk of each tool there is. */
  readonly risks: readonly Risk[];
  /** MCP servers whose tools come beside these. */
  readonly serversAsleep: number;
  readonly policyMode: string;
  readonly resumed: number;
  readonly found: readonly string[];
  readonly notices: readonly string[];
  readonly link: string;
  readonly self: string;
  readonly color: boolean;
  /** For its language. */
  readonly io: Io;
}

/** What `elwood up` shows when it is ready. */
export function startScreen(s: StartScreen): string {
  const bold = paint(s.color, "bold");
  const dim = paint(s.color, "dim");
  const green = paint(s.color, "green");
  const yellow = paint(s.color, "yellow");
  const reach = s.loopback
    ? say(s.io, "only this machine can connect ({0})", `${s.host}:${s.port}`)
    : say(s.io, "every machine that reaches {0} and has the token can connect", `${s.host}:${s.port}`);
  const lines = [
    "",
    `  ${bold(`elwood ${s.version}`)} ${dim(`· ${say(s.io, "data")} ${short(s.home)} ·`)} ${s.loopback ? dim(reach) : yellow(reach)}`,
    `  ${green("✓")} ${say(s.io, "database ready")}   ${green("✓")} ${toolsLine(s)}   ${green("✓")} ${policyLine(s)}`,
    `  ${s.modelProblem ? yellow("!") : green("✓")} ${modelLine(s)}`,
  ];
  if (s.modelProblem) lines.push(`  ${yellow("!")} ${s.modelProblem}`);
  if (s.resumed > 0)
    lines.push(
      `  ${green("✓")} ${s.resumed === 1 ? say(s.io, "took up 1 unfinished run") : say(s.io, "took up {0} unfinished runs", s.resumed)}`,
    );
  if (s.found.length > 0) lines.push(`  ${dim(`· ${s.found.join(" · ")}`)}`);
  for (const notice of s.notices) lines.push(`  ${yellow("!")} ${notice}`);
  lines.push(
    `  ${bold("▸")} ${say(s.io, "Open {0}", bold(s.link))}   ${dim(say(s.io, "(one-time link, 10 min)"))}`,
    `    ${dim(say(s.io, 'Ctrl+C stops it · {0} "hello" talks to it from a terminal · {0} open gives a new link', s.self))}`,
    "",
  );
  return `${lines.join("\n")}\n`;
}

function toolsLine({ io, risks, serversAsleep: servers }: StartScreen): string {
  const counts = RISKS.map(
    (risk) => `${risks.filter((each) => each === risk).length} ${stateText(io, risk)}`,
  );
  const tools = say(io, "{0} tools ({1})", risks.length, counts.join(", "));
  if (servers === 0) return tools;
  return servers === 1
    ? say(io, "{0} and those of 1 configured MCP server", tools)
    : say(io, "{0} and those of {1} configured MCP servers", tools, servers);
}

function policyLine({ io, policyMode }: StartScreen): string {
  const words = io.spoken?.policy[policyMode] ?? POLICY_WORDS[policyMode] ?? policyMode;
  return say(io, "policy: {0}", words.charAt(0).toLowerCase() + words.slice(1));
}

function modelLine(s: StartScreen): string {
  if (s.demo) return say(s.io, "demo model: scripted answers, no key needed, nothing leaves this machine");
  return `${say(s.io, "model")} ${s.model}${s.modelSource === "" ? "" : ` (${s.modelSource})`}`;
}

function short(path: string): string {
  const user = homedir();
  return path === user || path.startsWith(`${user}/`) ? `~${path.slice(user.length)}` : path;
}

function paint(color: boolean, style: "bold" | "dim" | "green" | "yellow"): (text: string) => string {
  return (text) => (color ? styleText(style, text, { validateStream: false }) : text);
}
