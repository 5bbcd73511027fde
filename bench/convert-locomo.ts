/**
 * Makes the file that `npm run bench -- memory` reads out of LoCoMo as it is published:
 *
 *   node bench/convert-locomo.ts locomo10.json locomo.jsonl.gz
 *
 * LoCoMo is under CC BY-NC 4.0 and no part of this project; what this makes of it stays under those terms.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

interface Sample {
  readonly sample_id: string;
  /** `session_1`, `session_1_date_time`, and so on. */
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly answer?: unknown;
    readonly adversarial_answer?: unknown;
    readonly evidence?: readonly string[];
    readonly category: number;
  }[];
}

interface Line {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

export function convertLocomo(samples: readonly Sample[]): string {
  return samples
    .flatMap(({ sample_id: conv, conversation, qa }) => {
      const turns = turnsOf(conv, conversation);
      const known = new Set(turns.map(({ id }) => id));
      const questions = qa.flatMap((asked, index) => {
        const evidence = turnIds(asked.evidence ?? []).filter((id) => known.has(id));
        const { category, question } = asked;
        const answer = asked.answer ?? asked.adversarial_answer ?? "";
        // Nothing can be found again for a question that points nowhere.
        if (evidence.length === 0) return [];
        return [{ type: "question", conv, qid: `${conv}-q${index}`, category, question, answer, evidence }];
      });
      return [...turns, ...questions];
    })
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

function turnsOf(conv: string, conversation: Sample["conversation"]) {
  return Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((session) => {
      const date = isoDate(String(conversation[`session_${session}_date_time`]));
      // The published file holds a list of lines under each such key.
      const lines = conversation[`session_${session}`] as readonly Line[];
      return lines.map(({ dia_id: id, speaker, text, blip_caption: caption }) => ({
        type: "turn",
        conv,
        session,
        date,
        id,
        speaker,
        text,
        ...(caption === undefined ? {} : { caption }),
      }));
    });
}

/** `1:56 pm on 8 May, 2023` */
function isoDate(written: string): string {
  const [, hour, minute, half, day, month, year] =
    /(\d{1,2}):(\d\d)\s*(am|pm) on (\d{1,2}) (\p{L}+),? (\d{4})/iu.exec(written) ?? [];
  if (month === undefined) throw new Error(`No date that is known: ${written}`);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0);
  return `${year}-${two(MONTHS.indexOf(month.toLowerCase()) + 1)}-${two(Number(day))}T${two(hours)}:${minute}`;
}

/** Some name several in one string, some have a colon or a zero too many. */
function turnIds(evidence: readonly string[]): string[] {
  const ids = evidence.flatMap((text) =>
    [...text.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, line]) => `D${Number(session)}:${Number(line)}`),
  );
  return [...new Set(ids)];
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2);
  if (from === undefined || to === undefined) {
    process.stderr.write("node bench/convert-locomo.ts locomo10.json locomo.jsonl.gz\n");
    process.exitCode = 2;
  } else {
    writeFileSync(to, gzipSync(convertLocomo(JSON.parse(readFileSync(from, "utf8")) as Sample[])));
  }
}
