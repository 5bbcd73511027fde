import type { Finding, Severity } from "./finding.ts";
import { SEVERITIES } from "./finding.ts";

export interface DoctorDocument {
  readonly version: string;
  readonly home: string;
  readonly counts: Readonly<Record<Severity, number>>;
  readonly findings: readonly {
    readonly id: string;
    readonly severity: Severity;
    readonly what: string;
    readonly evidence: string;
    readonly fix: string;
    readonly repairable: boolean;
  }[];
}

/** What the doctor found, for programs: the same on the command line and over the socket. */
export function doctorDocument(
  { version, paths }: { readonly version: string; readonly paths: { readonly home: string } },
  findings: readonly Finding[],
): DoctorDocument {
  const count = (severity: Severity) => findings.filter((each) => each.severity === severity).length;
  return {
    version,
    home: paths.home,
    // One number for each severity, by the list of them.
    counts: Object.fromEntries(SEVERITIES.map((each) => [each, count(each)])) as Record<Severity, number>,
    findings: findings.map(({ id, severity, what, evidence, fix, repair }) => ({
      id,
      severity,
      what,
      evidence,
      fix,
      repairable: repair !== undefined,
    })),
  };
}
