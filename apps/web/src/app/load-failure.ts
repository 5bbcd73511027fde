import type { Toasts } from "./toasts.ts";
import { say } from "../words/en/app.ts";

/** Whether a part of the page did not come: nobody answered, or an update took its file away. Anything else is a bug to be seen. */
export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && /dynamically imported|importing a module|preload css/i.test(error.message);
}

/** A press on something whose part does not come is answered all the same. */
export function tellLoadFailures(toasts: Toasts, signal: AbortSignal): void {
  addEventListener(
    "unhandledrejection",
    (event) => {
      if (!isLoadFailure(event.reason)) return;
      event.preventDefault();
      toasts.show(say.thisPartOfThePageCould, {
        tone: "bad",
        action: { label: say.reload, run: () => location.reload() },
      });
    },
    { signal },
  );
}
