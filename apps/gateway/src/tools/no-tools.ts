import type { ToolHost } from "@elwood/runtime/ports";

/** Elwood has no tools yet: the model is offered none, and a call it makes up is told so. */
export function noTools(): ToolHost {
  return {
    specs: () => [],
    activity: async () => [],
    seal: async (_tenant, _callId, input) => input,
    noteRun: async () => undefined,
    call: async ({ toolId }) => ({
      status: "error",
      text: `There is no tool "${toolId}". Nothing was done. Answer without tools, and do not claim to have used any.`,
    }),
  };
}
