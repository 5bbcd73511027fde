import { createHash } from "node:crypto";
import { SECURITY_HEADERS, sendJson } from "../http.ts";
import type { Route } from "./router.ts";

/** The document of all addresses, and a page to read it. Made with the first request for one of them. */
export function openApiRoutes(others: readonly Route[]): Route[] {
  let made: Promise<Record<string, unknown>> | undefined;
  const document = () =>
    (made ??= import("./openapi.ts").then(({ openApiDocument }) => openApiDocument([...others, ...own])));
  const own: Route[] = [
    {
      verb: "GET",
      path: "/api/v1/openapi.json",
      scope: "own",
      about: {
        id: "openapi",
        summary: "This document.",
        open: true,
        content: "application/json",
      },
      handle: async ({ response }) => sendJson(response, 200, await document()),
    },
    {
      verb: "GET",
      path: "/api/v1/docs",
      scope: "own",
      about: { id: "reference", summary: "This document, to read.", open: true, content: "text/html" },
      async handle({ response, request }) {
        const { referencePage, REFERENCE_STYLE } = await import("./reference-page.ts");
        const html = referencePage(await document());
        const style = createHash("sha256").update(REFERENCE_STYLE).digest("base64");
        response.writeHead(200, {
          ...SECURITY_HEADERS,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
          "cache-control": "no-cache",
        });
        response.end(request.method === "HEAD" ? undefined : html);
      },
    },
  ];
  return own;
}
