import { Store } from "@elwood/sdk/store";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "info" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 8_000;
const TOASTS_MAX = 3;

/** Short words at the edge of the page about what was just done, with the way back where there is one. */
export class Toasts {
  readonly shown = new Store<readonly Toast[]>([]);
  #next = 1;

  show(text: string, more: { tone?: Toast["tone"]; action?: Toast["action"] } = {}): void {
    const id = this.#next++;
    const toast: Toast = {
      id,
      text,
      tone: more.tone ?? "info",
      ...(more.action ? { action: more.action } : {}),
    };
    this.shown.update((toasts) => [...toasts, toast].slice(-TOASTS_MAX));
    window.setTimeout(() => this.drop(id), SHOWN_MS);
  }

  drop(id: number): void {
    this.shown.update((toasts) => toasts.filter((toast) => toast.id !== id));
  }
}
