import { z } from "zod";
import { EVENTS } from "./events.ts";
import {
  authFrameSchema,
  authOkFrameSchema,
  PROTOCOL_VERSION,
  pushFrameSchema,
  requestFrameSchema,
  responseFrameSchema,
} from "./frames.ts";
import { METHODS, type MethodName } from "./methods.ts";
import { RESULTS } from "./results.ts";

/** The whole protocol as one JSON document of JSON Schemas (2020-12), for clients in any language. */
export function protocolJsonSchema(): Record<string, unknown> {
  const entries = Object.entries(METHODS).map(([name, spec]) => [
    name,
    {
      summary: spec.summary,
      scope: spec.scope,
      params: z.toJSONSchema(spec.params(), { io: "input" }),
      result: z.toJSONSchema(RESULTS[name as MethodName], { io: "output" }),
    },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Elwood WebSocket protocol",
    protocol: PROTOCOL_VERSION,
    frames: {
      auth: z.toJSONSchema(authFrameSchema, { io: "input" }),
      authOk: z.toJSONSchema(authOkFrameSchema),
      request: z.toJSONSchema(requestFrameSchema, { io: "input" }),
      response: z.toJSONSchema(responseFrameSchema),
      push: z.toJSONSchema(pushFrameSchema),
    },
    methods: Object.fromEntries(entries),
    events: Object.fromEntries(
      Object.entries(EVENTS).map(([name, schema]) => [name, z.toJSONSchema(schema())]),
    ),
  };
}
