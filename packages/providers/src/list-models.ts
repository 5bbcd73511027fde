import type { Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Clock } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import { isLoopbackHost } from "@elwood/core/net/base-url";
import type { Credential } from "./credential.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import type { ProviderPlan } from "./models.ts";
import { withoutMessage } from "./failure-words.ts";
import { BadReply, readFailure } from "./read-failure.ts";

const page = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

/** The ids that `GET /models` of a provider names, in its own order, up to a limit. */
export async function listModels(
  plan: ProviderPlan,
  credential: Credential | undefined,
  clock: Clock,
  patienceMs: number = LIMITS.modelLiveTestMs,
): Promise<Result<readonly string[], Failure>> {
  const baseUrl = credential?.baseUrl ?? plan.baseUrl;
  const local = URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname);
  const who = { id: plan.id, label: plan.label, baseUrl, local, ...(credential ? { credential } : {}) };
  try {
    const response = await guardedFetch(() => {})(address(plan, baseUrl), {
      headers: { ...authorization(plan, credential), ...plan.headers },
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await response.text();
    if (!response.ok) throw httpError(response, text);
    const read = page.safeParse(JSON.parse(text));
    if (!read.success) throw new BadReply("the list of models has another shape");
    return ok(read.data.data.slice(0, LIMITS.modelsListedMax).map((model) => model.id));
  } catch (error) {
    const expired = error instanceof DOMException && error.name === "TimeoutError";
    const context = {
      who,
      model: "",
      now: clock.now(),
      ...(expired ? { expired: "first-event" as const } : {}),
    };
    return err(withoutMessage(readFailure(error, context).failure));
  }
}

function address(plan: ProviderPlan, baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, "")}${plan.api === "anthropic" ? "/v1" : ""}/models`;
}

export function authorization(
  plan: ProviderPlan,
  credential: Credential | undefined,
): Record<string, string> {
  const bearer: Record<string, string> = credential ? { authorization: `Bearer ${credential.secret}` } : {};
  if (plan.api !== "anthropic") return bearer;
  const key: Record<string, string> =
    credential?.type === "api_key" ? { "x-api-key": credential.secret } : {};
  return { "anthropic-version": "2023-06-01", ...bearer, ...key };
}

/** In the shape in which the SDKs throw it. */
function httpError(response: Response, text: string): Error {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return Object.assign(new Error(`status ${response.status}`), {
    status: response.status,
    headers: response.headers,
    error: body,
  });
}
