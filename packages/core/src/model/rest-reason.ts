/** Why a key rests, as a few words after "rests" or in brackets; empty where nobody noted it. */
export function restReason(code: string | undefined): string {
  return code === undefined || code === "" ? "" : (REASONS[code] ?? "it was refused");
}

const REASONS: Readonly<Record<string, string>> = {
  AUTH: "its key was refused",
  BILLING: "its account has no credit left",
  RATE_LIMITED: "its rate limit was reached",
  OVERLOADED: "its provider was overloaded",
};
