import { readFileSync } from "node:fs";
import type { Egress, OutputTrust, Risk, TrustLabels } from "@elwood/core/tool/tool";

/** AgentDojo's tasks with the calls that solve them, as the file holds them. */
export interface Dojo {
  readonly source: {
    readonly project: string;
    readonly benchmark_version: string;
    readonly license_notice: string;
  };
  readonly suites: Readonly<Record<string, Suite>>;
}

export interface Suite {
  readonly tools: readonly DojoTool[];
  readonly user_tasks: readonly UserTask[];
  readonly injection_tasks: readonly InjectionTask[];
  readonly environment_facts: { readonly known_destinations: readonly string[] };
}

export interface DojoTool {
  readonly name: string;
  readonly description: string;
  readonly params: Readonly<Record<string, { readonly required: boolean }>>;
  readonly risk: Risk;
  readonly egress: string;
  readonly output_trust: OutputTrust;
  readonly critical_args: readonly string[];
  readonly id_args: readonly string[];
  readonly content_args: readonly string[];
  readonly time_args: readonly string[];
  readonly sensitive_output: boolean;
}

export interface DojoCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** Places in the output that an attacker can write to. */
  readonly carries_injection_slot?: readonly string[];
}

export interface UserTask {
  readonly id: string;
  readonly prompt: string;
  readonly calls: readonly DojoCall[];
}

export interface InjectionTask {
  readonly id: string;
  /** What the attacker wants, in their words. */
  readonly goal?: string;
  readonly calls: readonly DojoCall[];
  readonly has_side_effect: boolean;
  /** It only fetches something, which carries data out. */
  readonly egress_read_only: boolean;
}

export function readDojo(path: string): Dojo {
  const read = JSON.parse(readFileSync(path, "utf8")) as Dojo;
  if (typeof read.suites !== "object" || typeof read.source?.license_notice !== "string")
    throw new Error(`${path} does not hold AgentDojo's suites and its licence notice.`);
  return read;
}

/** The tools of a suite as the gateway takes them in, from the labels of the file alone. */
export function contractsOf(suiteName: string, suite: Suite) {
  return suite.tools.map((tool) => ({
    id: toolId(suiteName, tool.name),
    description: tool.description,
    risk: tool.risk,
    labels: labelsOf(tool),
    input: {
      type: "object",
      properties: Object.fromEntries(Object.keys(tool.params).map((name) => [name, {}])),
      required: Object.entries(tool.params).flatMap(([name, { required }]) => (required ? [name] : [])),
      additionalProperties: false,
    },
  }));
}

export function toolId(suiteName: string, name: string): string {
  return `dojo.${suiteName}.${name}`;
}

function labelsOf(tool: DojoTool): TrustLabels {
  return {
    egress: egressOf(tool.egress),
    output: tool.output_trust,
    critical: tool.critical_args,
    ids: Object.fromEntries(tool.id_args.map((name) => [name, kindOf(name, tool.name)])),
    content: tool.content_args,
    time: tool.time_args,
    sensitive: tool.sensitive_output,
    lists: nounOf(tool.name),
  };
}

/** Colleagues, any address and the public are all somebody else. */
function egressOf(egress: string): Egress {
  return egress === "none" ? "none" : "third_party";
}

/** `event_id` is of an event; a bare `id` is of what the tool's name says. */
function kindOf(argument: string, tool: string): string {
  return argument === "id" ? nounOf(tool) : argument.replace(/_id$/, "");
}

/** `search_calendar_events` is about a `calendar_event`. */
function nounOf(tool: string): string {
  const [, ...rest] = tool.replace(/_(?:by|in|for)_.*$/, "").split("_");
  return rest.join("_").replace(/s$/, "");
}
