import { POLICY_WORDS } from "@elwood/core/base/state-words";
import { RISKS, type Risk } from "@elwood/core/tool/tool";
import { styleText } from "node:util";
import { homedir } from "node:os";

export interface StartScreen {
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
  readonly policyMode: string;
  readonly resumed: number;
  readonly found: readonly string[];
  readonly notices: readonly string[];
  readonly link: string;
  readonly self: string;
  readonly color: boolean;
}

/** What `elwood up` shows when it is ready. */
export function startScreen(s: StartScreen): string {
  const bold = paint(s.color, "bold");
  const dim = paint(s.color, "dim");
  const green = paint(s.color, "green");
  const yellow = paint(s.color, "yellow");
  const reach = s.loopback
    ? `only this machine can connect (${s.host}:${s.port})`
    : `every machine that reaches ${s.host}:${s.port} and has the token can connect`;
  const lines = [
    "",
    `  ${bold(`elwood ${s.version}`)} ${dim(`· data ${short(s.home)} ·`)} ${s.loopback ? dim(reach) : yellow(reach)}`,
    `  ${green("✓")} database ready   ${green("✓")} ${toolsLine(s)}   ${green("✓")} policy: ${(POLICY_WORDS[s.policyMode] ?? s.policyMode).toLowerCase()}`,
    `  ${s.modelProblem ? yellow("!") : green("✓")} ${modelLine(s)}`,
  ];
  if (s.modelProblem) lines.push(`  ${yellow("!")} ${s.modelProblem}`);
  if (s.resumed > 0)
    lines.push(`  ${green("✓")} took up ${s.resumed} unfinished ${s.resumed === 1 ? "run" : "runs"}`);
  if (s.found.length > 0) lines.push(`  ${dim(`· ${s.found.join(" · ")}`)}`);
  for (const notice of s.notices) lines.push(`  ${yellow("!")} ${notice}`);
  lines.push(
    `  ${bold("▸")} Open ${bold(s.link)}   ${dim("(one-time link, 10 min)")}`,
    `    ${dim(`Ctrl+C stops it · ${s.self} "hello" talks to it from a terminal · ${s.self} open gives a new link`)}`,
    "",
  );
  return `${lines.join("\n")}\n`;
}

function toolsLine({ risks }: StartScreen): string {
  const counts = RISKS.map((risk) => `${risks.filter((each) => each === risk).length} ${risk}`);
  return `${risks.length} tools (${counts.join(", ")})`;
}

function modelLine(s: StartScreen): string {
  if (s.demo) return "demo model: scripted answers, no key needed, nothing leaves this machine";
  return `model ${s.model}${s.modelSource === "" ? "" : ` (${s.modelSource})`}`;
}

function short(path: string): string {
  const user = homedir();
  return path === user || path.startsWith(`${user}/`) ? `~${path.slice(user.length)}` : path;
}

function paint(color: boolean, style: "bold" | "dim" | "green" | "yellow"): (text: string) => string {
  return (text) => (color ? styleText(style, text, { validateStream: false }) : text);
}
