import type { Run, RunStatus } from "@elwood/core/message/session";
import { readStored } from "./stored-json.ts";

export interface RunRow {
  readonly id: string;
  readonly seq: number;
  readonly session_id: string;
  readonly status: RunStatus;
  readonly surface: string;
  readonly model_asked: string | null;
  readonly model: string | null;
  readonly attempt: number;
  readonly queued_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly stop_reason: string | null;
  readonly failure: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly usage_estimated: number;
  readonly cost_usd: number;
  readonly laps: number;
  readonly laps_unpriced: number;
  readonly calls: number;
  readonly request_hash: string;
  readonly transcript_offset: number | null;
  readonly committed: number;
}

export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    sessionId: row.session_id,
    status: row.status,
    surface: row.surface,
    ...(row.model_asked === null ? {} : { modelAsked: row.model_asked }),
    ...(row.model === null ? {} : { model: row.model }),
    attempt: row.attempt,
    queuedAt: row.queued_at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.stop_reason === null ? {} : { stopReason: row.stop_reason }),
    ...(row.failure === null ? {} : { failure: readStored("failure", row.failure, `Run ${row.id}`) }),
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cacheReadTokens: row.cache_read_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      ...(row.usage_estimated === 1 ? { estimated: true } : {}),
    },
    // A sum that leaves out a lap would look like the whole.
    ...(row.laps > 0 && row.laps_unpriced === 0 ? { costUsd: row.cost_usd } : {}),
    laps: row.laps,
    calls: row.calls,
    committed: row.committed === 1,
  };
}
