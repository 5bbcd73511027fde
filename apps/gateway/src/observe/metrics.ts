import { LIMITS } from "@elwood/core/base/limits";
import type { Observe } from "@elwood/runtime/ports/observe";

type Labels = Readonly<Record<string, string>>;

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

interface Histogram {
  /** How many were at most as long as each bound. */
  readonly counts: number[];
  sum: number;
  count: number;
}

interface Family {
  readonly type: "counter" | "histogram";
  readonly help: string;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  elwood_runs_total: { type: "counter", help: "Runs that ended." },
  elwood_run_seconds: { type: "histogram", help: "How long runs took." },
  elwood_model_requests_total: { type: "counter", help: "Requests to models that ended." },
  elwood_model_request_seconds: { type: "histogram", help: "How long requests to models took." },
  elwood_model_first_text_seconds: { type: "histogram", help: "How long it took until the first text came." },
  elwood_model_tokens_total: { type: "counter", help: "Tokens by their kind." },
  elwood_model_retries_total: { type: "counter", help: "Requests to models that were sent again." },
  elwood_key_handovers_total: { type: "counter", help: "Times that another key or model took over." },
  elwood_tool_calls_total: { type: "counter", help: "Calls of tools that ended." },
  elwood_tool_call_seconds: { type: "histogram", help: "How long calls of tools took." },
  elwood_series_left_out_total: {
    type: "counter",
    help: "Facts that were counted nowhere else, because there are as many series as there may be.",
  },
};

/**
 * Counters and histograms in Prometheus' text format. They hold numbers and names, nothing that anybody said.
 * There are at most so many series: a fact that would make one more is only counted as left out.
 */
export class Metrics {
  readonly #counters = new Map<string, Map<string, number>>();
  readonly #histograms = new Map<string, Map<string, Histogram>>();
  #series = 0;

  readonly observe: Observe = (fact) => {
    const { tenant } = fact;
    switch (fact.kind) {
      case "run": {
        const { status, surface } = fact;
        this.#count("elwood_runs_total", { tenant, surface, status });
        this.#time("elwood_run_seconds", { status }, fact);
        return;
      }
      case "call": {
        const { toolId: tool, outcome } = fact;
        this.#count("elwood_tool_calls_total", { tenant, tool, outcome });
        this.#time("elwood_tool_call_seconds", { tool }, fact);
        return;
      }
      case "retry": {
        const { provider, model } = fact.model;
        const { reason, handover } = fact;
        if (handover) this.#count("elwood_key_handovers_total", { provider, model, reason });
        else this.#count("elwood_model_retries_total", { provider, model, reason });
        return;
      }
      case "model": {
        const { answered, operation, outcome, reason = "", usage, firstTextAt } = fact;
        const of = { provider: answered.provider, model: answered.model };
        this.#count("elwood_model_requests_total", { tenant, ...of, operation, outcome, reason });
        this.#time("elwood_model_request_seconds", of, fact);
        if (firstTextAt !== undefined)
          this.#time("elwood_model_first_text_seconds", of, { ...fact, endedAt: firstTextAt });
        const kinds = usage && {
          input: usage.inputTokens,
          output: usage.outputTokens,
          cache_read: usage.cacheReadTokens,
          cache_write: usage.cacheWriteTokens,
        };
        for (const [kind, tokens] of Object.entries(kinds ?? {}))
          if (tokens > 0) this.#count("elwood_model_tokens_total", { tenant, ...of, kind }, tokens);
        return;
      }
      default:
        fact satisfies never;
    }
  };

  /** The whole document; `gauges` are numbers of this moment. */
  text(gauges: Readonly<Record<string, { readonly help: string; readonly value: number }>>): string {
    const lines: string[] = [];
    const head = (name: string, help: string, type: string) =>
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [name, { help, value }] of Object.entries(gauges)) {
      head(name, help, "gauge");
      lines.push(`${name} ${value}`);
    }
    for (const [name, { type, help }] of Object.entries(FAMILIES)) {
      head(name, help, type);
      for (const [labels, value] of this.#counters.get(name) ?? [])
        lines.push(`${name}${braced(labels)} ${value}`);
      for (const [labels, { counts, sum, count }] of this.#histograms.get(name) ?? []) {
        for (const [i, bound] of SECONDS.entries())
          lines.push(`${name}_bucket${braced(labels, `le="${bound}"`)} ${counts[i]}`);
        lines.push(`${name}_bucket${braced(labels, 'le="+Inf"')} ${count}`);
        lines.push(`${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${count}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }

  #count(name: string, labels: Labels, by = 1): void {
    const series = this.#counters.get(name) ?? new Map<string, number>();
    this.#counters.set(name, series);
    const key = written(labels);
    if (!series.has(key) && !this.#hasRoom()) return;
    series.set(key, (series.get(key) ?? 0) + by);
  }

  #time(name: string, labels: Labels, fact: { readonly startedAt?: number; readonly endedAt: number }): void {
    if (fact.startedAt === undefined) return;
    const series = this.#histograms.get(name) ?? new Map<string, Histogram>();
    this.#histograms.set(name, series);
    const key = written(labels);
    if (!series.has(key) && !this.#hasRoom()) return;
    const histogram = series.get(key) ?? { counts: SECONDS.map(() => 0), sum: 0, count: 0 };
    series.set(key, histogram);
    const seconds = Math.max(0, fact.endedAt - fact.startedAt) / 1_000;
    for (const [i, bound] of SECONDS.entries()) if (seconds <= bound) histogram.counts[i]! += 1;
    histogram.sum += seconds;
    histogram.count += 1;
  }

  #hasRoom(): boolean {
    if (this.#series < LIMITS.metricSeriesMax) {
      this.#series += 1;
      return true;
    }
    const left = this.#counters.get(LEFT_OUT) ?? new Map<string, number>();
    this.#counters.set(LEFT_OUT, left.set("", (left.get("") ?? 0) + 1));
    return false;
  }
}

const LEFT_OUT = "elwood_series_left_out_total";

function written(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value.slice(0, LIMITS.metricLabelCharsMax))}"`)
    .join(",");
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function braced(labels: string, more = ""): string {
  const all = [labels, more].filter((each) => each !== "").join(",");
  return all === "" ? "" : `{${all}}`;
}
