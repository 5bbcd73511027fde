import { fail } from "@elwood/core/base/failure";
import { CALL_WORDS } from "@elwood/core/base/state-words";
import { visibleText } from "./terminal-text.ts";
import { doctorDocument } from "@elwood/gateway/doctor/document";
import { examine, type Examination, type RepairDone } from "@elwood/gateway/doctor/examine";
import { SEVERITIES, type DoctorContext, type Finding, type Severity } from "@elwood/gateway/doctor/finding";
import { EXIT, ownName, type Io } from "./io.ts";
import { markOf, paintFor, type Paint, type Style } from "./paint.ts";
import { gatewayText, say } from "./words/say.ts";

export interface DoctorOptions {
  readonly json: boolean;
  /** As typed: `true` for a bare --lint, else the severity from which on it fails. */
  readonly lint?: boolean | string;
  readonly fix: boolean;
}

/**
 * `elwood doctor`: looks at everything and changes nothing. `--fix` makes the repairs that
 * cannot lose anything; `--lint` says only what is wrong, and says it with its exit code too.
 */
export async function doctor(io: Io, context: DoctorContext, options: DoctorOptions): Promise<number> {
  const threshold = lintThreshold(options.lint);
  const examination = await examine(context, options.fix);
  const { findings, repairs } = examination;
  if (options.json) io.stdout.write(`${JSON.stringify(asDocument(context, examination))}\n`);
  else {
    const shown = threshold ? findings.filter((each) => reaches(each.severity, threshold)) : findings;
    io.stdout.write(asText(io, context, shown, examination, options.fix));
  }
  const lintFails = threshold !== undefined && findings.some((each) => reaches(each.severity, threshold));
  const repairFailed = repairs.some(({ problem }) => problem !== undefined);
  return lintFails || repairFailed ? EXIT.failed : EXIT.ok;
}

function lintThreshold(lint: boolean | string | undefined): Severity | undefined {
  if (lint === undefined || lint === false) return undefined;
  if (lint === true) return "error";
  const threshold = SEVERITIES.find((each) => each === lint && each !== "ok");
  return threshold ?? fail("INVALID_INPUT", `--lint takes error, warning or info, not "${lint}".`);
}

function reaches(severity: Severity, threshold: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(threshold);
}

function asDocument(context: DoctorContext, { findings, repairs }: Examination) {
  return { ...doctorDocument(context, findings), repairs };
}

function asText(
  io: Io,
  { version, paths }: DoctorContext,
  shown: readonly Finding[],
  { findings, repairs }: Examination,
  fixed: boolean,
): string {
  const paint = paintFor(io);
  const self = ownName(io.env);
  const mendable = findings.filter(({ repair }) => repair !== undefined).length;
  const lines = [
    paint("dim", `elwood ${version} · ${say(io, "data")} ${paths.home}`),
    "",
    ...repairs.map((each) => repairLine(io, each, paint)),
    ...shown.flatMap((each) => findingLines(io, each, self, paint)),
    ...(shown.length + repairs.length > 0 ? [""] : []),
    summary(io, findings),
    ...(mendable > 0 && !fixed
      ? [
          mendable === 1
            ? say(io, "{0} doctor --fix mends one of them; it loses nothing.", self)
            : say(io, "{0} doctor --fix mends {1} of them; it loses nothing.", self, mendable),
        ]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

const MARKS: Readonly<Record<Severity, readonly [string, Style]>> = {
  ok: [CALL_WORDS.succeeded.glyph, "green"],
  info: ["·", "dim"],
  warning: ["!", "yellow"],
  error: [CALL_WORDS.failed.glyph, "red"],
};

function findingLines(
  io: Io,
  { severity, what, evidence, fix }: Finding,
  self: string,
  paint: Paint,
): string[] {
  const [mark, style] = MARKS[severity];
  const head = `${paint(style, mark)} ${visibleText(gatewayText(io, what))}`;
  const seen = visibleText(evidence);
  if (severity === "ok") return [seen === "" ? head : `${head} ${paint("dim", `(${seen})`)}`];
  return [
    head,
    ...(seen === "" ? [] : [`    ${paint("dim", seen)}`]),
    ...(fix === ""
      ? []
      : [`    → ${visibleText(gatewayText(io, fix)).replaceAll(/\belwood (?=[a-z])/g, `${self} `)}`]),
  ];
}

function repairLine(io: Io, { did, problem }: RepairDone, paint: Paint): string {
  if (problem === undefined)
    return `${markOf(paint, CALL_WORDS.succeeded)} ${say(io, "Mended: {0}", visibleText(did))}`;
  const words = say(
    io,
    "Could not mend: {0}, was the plan, but: {1}",
    visibleText(did),
    visibleText(gatewayText(io, problem)),
  );
  return `${markOf(paint, CALL_WORDS.failed)} ${words}`;
}

function summary(io: Io, findings: readonly Finding[]): string {
  const errors = countOf(findings, "error");
  const warnings = countOf(findings, "warning");
  if (errors + warnings === 0) return say(io, "Nothing is wrong.");
  const parts = [
    ...(errors > 0 ? [errors === 1 ? say(io, "1 error") : say(io, "{0} errors", errors)] : []),
    ...(warnings > 0 ? [warnings === 1 ? say(io, "1 warning") : say(io, "{0} warnings", warnings)] : []),
  ];
  return `${parts.join(", ")}.`;
}

function countOf(findings: readonly Finding[], severity: Severity): number {
  return findings.filter((each) => each.severity === severity).length;
}
