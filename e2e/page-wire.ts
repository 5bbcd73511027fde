import type { Hello } from "@elwood/core/protocol/frames";
import type { Page } from "playwright-core";

/** What a request is answered with instead of the gateway's word; `held` is no answer at all. */
export type Bent =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data: unknown } }
  | "held";

interface Asked {
  readonly id?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

/** Stands between the page and its gateway, and answers what `bend` answers. For whatever it leaves out the gateway does. */
export async function bendAnswers(
  page: Page,
  bend: (method: string, params: Record<string, unknown>) => Bent | Promise<Bent> | undefined,
  greet: (hello: Hello) => Hello = (hello) => hello,
): Promise<void> {
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const gateway = socket.connectToServer();
    gateway.onMessage((message) => {
      const frame = JSON.parse(String(message)) as { hello?: Hello };
      socket.send(frame.hello ? JSON.stringify({ ...frame, hello: greet(frame.hello) }) : message);
    });
    socket.onMessage((message) => {
      const { id, method, params = {} } = JSON.parse(String(message)) as Asked;
      const bent = method === undefined ? undefined : bend(method, params);
      const answer = (given: Bent) => {
        if (given !== "held") socket.send(JSON.stringify({ id, ...given }));
      };
      if (bent === undefined) gateway.send(message);
      else if (bent instanceof Promise) void bent.then(answer);
      else answer(bent);
    });
  });
}

export function refused(message: string): Bent {
  return { error: { code: -32_000, message, data: { reason: "INTERNAL", retryable: false } } };
}
