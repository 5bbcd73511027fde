import type { Toasts } from "./toasts.ts";

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
      toasts.show("This part of the page could not be loaded: Elwood cannot be reached, or was updated.", {
        tone: "bad",
        action: { label: "Reload", run: () => location.reload() },
      });
    },
    { signal },
  );
}
