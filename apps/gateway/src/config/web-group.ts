import { readOrigin } from "@elwood/core/net/web-address";
import { parseBaseUrl } from "@elwood/core/net/base-url";
import { z } from "zod";
import { group, listOf, oneOf, wholeNumber, words } from "./leaves.ts";

export const WEB_DEFAULTS = {
  allowedOrigins: [] as string[],
  search: {},
  maxMegabytes: 10,
  timeoutSeconds: 60,
} as const;

/** Where tools may go beside the open web, who searches, and how much a fetch may be. */
export const webGroups = {
  web: () =>
    group({
      allowedOrigins: listOf(
        exactOrigin(),
        "a list of origins, for example [http://192.168.1.20:8123]",
      ).default([]),
      search: group({
        provider: oneOf(["brave", "searxng"]).optional(),
        searxngUrl: serviceUrl().optional(),
      }).default({}),
      maxMegabytes: wholeNumber(1, 50).default(WEB_DEFAULTS.maxMegabytes),
      timeoutSeconds: wholeNumber(1, 300).default(WEB_DEFAULTS.timeoutSeconds),
    }),
};

function exactOrigin() {
  const error = "must be an exact origin: scheme, host and port alone, for example http://192.168.1.20:8123";
  return z
    .string({ error })
    .trim()
    .refine((text) => readOrigin(text) !== undefined, { error });
}

function serviceUrl() {
  return words("an address such as http://127.0.0.1:8888").transform((text, context) => {
    const parsed = parseBaseUrl(text);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.error });
    return z.NEVER;
  });
}
