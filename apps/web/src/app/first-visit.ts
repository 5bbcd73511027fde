import { RequestError } from "@elwood/sdk/client";
import type { AppContext, GatewayStatus } from "./context.ts";
import { rememberWelcome, welcomeMemory } from "./welcome-memory.ts";

const ASK_MS_MAX = 2_000;

/**
 * Whether somebody is here who has never talked to this gateway: the demo answers, there is
 * no session, and the welcome was not put away in this browser. Nobody waits long to know.
 */
export async function isFirstVisit(app: AppContext): Promise<boolean> {
  if (welcomeMemory().dismissed === true) return false;
  const status = app.status.value ?? (await firstStatus(app));
  if (status?.demo !== true) return false;
  try {
    const { sessions } = await app.link.call("sessions.list", { limit: 1 });
    // From now on there is no need to ask.
    if (sessions.length > 0) rememberWelcome({ dismissed: true });
    return sessions.length === 0;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return false;
  }
}

function firstStatus(app: AppContext): Promise<GatewayStatus | undefined> {
  return new Promise((resolve) => {
    const stop = app.status.subscribe((status) => done(status));
    const timer = window.setTimeout(() => done(undefined), ASK_MS_MAX);
    function done(status: GatewayStatus | undefined): void {
      stop();
      clearTimeout(timer);
      resolve(status);
    }
  });
}
