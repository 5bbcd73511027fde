/**
 * What this browser remembers of the welcome: whether it was put away, and how far its tour
 * came. Where storage is forbidden nothing is remembered, and nothing throws.
 */
export interface WelcomeMemory {
  readonly dismissed?: boolean;
  /** The session that the tour talks in. */
  readonly session?: string;
  /** The step that is shown. */
  readonly step?: string;
}

const KEY = "elwood.welcome";

export function welcomeMemory(): WelcomeMemory {
  try {
    // Only this page writes there.
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as WelcomeMemory;
  } catch {
    return {}; // forbidden, or not ours: as on a first visit
  }
}

export function rememberWelcome(more: WelcomeMemory): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...welcomeMemory(), ...more }));
  } catch {
    return; // forbidden, or full: it holds until the page is left
  }
}
