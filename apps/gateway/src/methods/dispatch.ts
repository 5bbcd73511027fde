import { safelyParse } from "@elwood/core/base/safe-parse";
import { failure, FailureError, type Failure } from "@elwood/core/base/failure";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { METHOD_REACH } from "@elwood/core/protocol/method-reach";
import { METHODS, METHOD_NAMES, type MethodName, type MethodScope } from "@elwood/core/protocol/methods";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { z } from "zod";
import { actionMethods } from "./actions.ts";
import { accessMethods } from "./access.ts";
import { approvalMethods } from "./approvals.ts";
import { assistantMethods } from "./assistants.ts";
import { channelMethods } from "./channels.ts";
import { chatMethods } from "./chat.ts";
import type { Handlers, MethodContext } from "./context.ts";
import type { Services } from "./services.ts";
import { gatewayMethods } from "./gateway.ts";
import { integrationMethods } from "./integrations.ts";
import { jobMethods } from "./jobs.ts";
import { mcpMethods } from "./mcp.ts";
import { memoryMethods } from "./memory.ts";
import { notifyMethods } from "./notify.ts";
import { ownerMethods } from "./owner.ts";
import { receiptMethods } from "./receipts.ts";
import { runMethods } from "./runs.ts";
import { sessionMethods } from "./sessions.ts";
import { settingsMethods } from "./settings.ts";
import { toolMethods } from "./tools.ts";

const HANDLERS: Handlers<MethodName, keyof Services> = {
  ...gatewayMethods,
  ...actionMethods,
  ...sessionMethods,
  ...chatMethods,
  ...runMethods,
  ...ownerMethods,
  ...accessMethods,
  ...approvalMethods,
  ...toolMethods,
  ...settingsMethods,
  ...assistantMethods,
  ...mcpMethods,
  ...integrationMethods,
  ...memoryMethods,
  ...jobMethods,
  ...receiptMethods,
  ...channelMethods,
  ...notifyMethods,
};

type Context = MethodContext<keyof Services>;

export interface Dispatcher {
  /** Whether the method may be called before authentication. */
  isOpen(method: string): boolean;
  call(method: string, params: unknown, context: Context): Promise<Result<unknown, Failure>>;
}

/** Finds the method, checks scope and params, calls it, and turns whatever it throws into a Failure. */
export function makeDispatcher(): Dispatcher {
  const schemas = new Map<MethodName, z.ZodType>();
  return {
    isOpen: (method) => isMethod(method) && METHODS[method].scope === "none",
    async call(method, params, context) {
      if (!isMethod(method)) return err(unknownMethod(method));
      const scope: MethodScope = METHODS[method].scope;
      if (scope !== "none" && !context.principal.scopes.has(scope)) {
        return err(
          failure(
            "SCOPE_MISSING",
            `${method} needs a token with the scope "${scope}"; this one does not have it. Nothing was done.`,
          ),
        );
      }
      if (scope !== "none" && METHOD_REACH[method] === "installation" && context.tenant !== DEFAULT_TENANT)
        return err(
          failure(
            "SCOPE_MISSING",
            `${method} is about the whole installation, which is its owner's; this token is of the tenant ${context.tenant}. Nothing was done.`,
          ),
        );
      let schema = schemas.get(method);
      if (!schema) schemas.set(method, (schema = METHODS[method].params()));
      const parsed = safelyParse(schema, params ?? {});
      if (!parsed.success)
        return err(failure("INVALID_INPUT", `${method}: ${describe(parsed.error)} Nothing was done.`));
      try {
        if (scope !== "none") await context.services.tools.registry.wake();
        // The schema of this very method has checked the params, so they are what its handler takes.
        const handler = HANDLERS[method] as (params: unknown, context: Context) => Promise<unknown>;
        const answer = await handler(parsed.data, context);
        if (BEGINS_RUN.has(method)) {
          const { runId } = answer as { readonly runId?: string };
          if (runId !== undefined) context.services.system.requests?.began(runId);
        }
        return ok(answer);
      } catch (error) {
        if (error instanceof FailureError) {
          context.services.storage.failed(error.failure);
          return err(error.failure);
        }
        context.services.system.log.error("a method broke", { method, error });
        return err(
          failure(
            "INTERNAL",
            `${method} failed inside Elwood. It may or may not have taken effect; the log says more.`,
          ),
        );
      }
    },
  };
}

/** Methods that answer with the run they set off. */
const BEGINS_RUN: ReadonlySet<MethodName> = new Set(["chat.send", "sessions.compact", "sessions.uncompact"]);

function isMethod(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}

function unknownMethod(name: string): Failure {
  const shown = name.replace(/[^\x20-\x7e]/g, "?").slice(0, 60);
  const area = METHOD_NAMES.filter((m) => m.split(".")[0] === name.split(".")[0]);
  const hint = area.length > 0 ? ` There are ${area.join(", ")}.` : "";
  return failure("UNKNOWN_METHOD", `There is no method "${shown}".${hint}`);
}

const ISSUES_SHOWN_MAX = 3;
/** What a client sent is named in the answer, but not sent back whole. */
const ISSUE_CHARS_MAX = 200;

function describe(error: z.ZodError): string {
  const shown = error.issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => {
    const path = issue.path.join(".");
    return `${path === "" ? "params" : `"${shortened(path)}"`}: ${shortened(issue.message)}.`;
  });
  const rest = error.issues.length - shown.length;
  return `${shown.join(" ")}${rest > 0 ? ` And ${rest} more.` : ""}`;
}

function shortened(text: string): string {
  return text.length <= ISSUE_CHARS_MAX ? text : `${text.slice(0, ISSUE_CHARS_MAX)}…`;
}
