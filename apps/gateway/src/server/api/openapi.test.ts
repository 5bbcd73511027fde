import { METHODS, type MethodSpec } from "@elwood/core/protocol/methods";
import { chat } from "@elwood/testkit/chat-wire";
import { startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../../../test/test-gateway.ts";
import { lazySchema } from "../../mcp/tool-schema.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object };
}

let provider: OpenaiServer;
let started: StartedGateway;
let document: Document;
beforeAll(async () => {
  provider = await startOpenai();
  const config = `
api: { actions: true, openai: true }
providers: { here: { baseUrl: ${provider.baseUrl} } }
actions: { helper: { model: here/local-1 } }
`;
  started = await startTestGateway({ config });
  const answered = await fetch(`${started.gateway.url}/api/v1/openapi.json`);
  expect(answered.status).toBe(200);
  document = (await answered.json()) as Document;
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  await provider.close();
});

/** A client made from nothing but the document: it places what it is given, and holds answers against their schemas. */
function clientFrom({ paths, components }: Document, url: string, token: string) {
  const operations = new Map(
    Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => [operation.operationId, { path, verb, operation }]),
    ),
  );
  return async (id: string, given: Readonly<Record<string, string | number>> = {}, body?: object) => {
    const found = operations.get(id);
    if (!found) throw new Error(`the document has no ${id}`);
    const { path, verb, operation } = found;
    const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(String(given[name])),
    );
    const address = new URL(`${url}${filled}`);
    for (const { name, in: place, required } of operation.parameters) {
      if (required && given[name] === undefined) throw new Error(`${id} needs ${name}`);
      if (place === "query" && given[name] !== undefined) address.searchParams.set(name, String(given[name]));
    }
    const response = await fetch(address, {
      method: verb.toUpperCase(),
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    const told = operation.responses[String(response.status)] ?? operation.responses["default"];
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const schema = told?.content?.[type]?.schema;
    if (!schema) throw new Error(`the document does not know ${response.status} ${type} of ${id}`);
    const checked = await lazySchema({ ...schema, components })["~standard"].validate(answer);
    return { status: response.status, answer, problems: checked.issues ?? [] };
  };
}

test("the document names every method that has an address, each once, and everything it refers to is in it", () => {
  const ids = Object.values(document.paths).flatMap((verbs) =>
    Object.values(verbs).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
  const kept = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(kept).toEqual(expect.arrayContaining(refs));
  const methods = Object.entries<MethodSpec>(METHODS).filter(([, { http }]) => http !== undefined);
  expect(ids).toEqual(expect.arrayContaining(methods.map(([name]) => name)));
  expect(ids).toEqual(
    expect.arrayContaining(["runs.start", "openai.responses", "anthropic.messages", "hooks"]),
  );
});

test("a client that is made from the document calls what it names, and answers fit what it says of them", async () => {
  const call = clientFrom(document, started.gateway.url, started.gateway.ownerToken);
  provider.willChat(chat.reply("Hello"), chat.reply("Hello again"));
  const input = { messages: [{ role: "user", content: "hi" }] };
  const executed = await call("actions.execute", { name: "helper", version: "latest" }, { input });
  expect(executed).toMatchObject({ status: 200, answer: { text: "Hello" }, problems: [] });
  const model = await call("openai.chat.completions", {}, { model: "helper", ...input });
  expect(model).toMatchObject({ status: 200, problems: [] });
  const created = await call("sessions.create", {}, { title: "made by a client" });
  expect(created).toMatchObject({ status: 200, problems: [] });
  expect(await call("sessions.list", { limit: 1 })).toMatchObject({
    answer: { sessions: [{ title: "made by a client" }] },
    problems: [],
  });
  const sessionKey = created.answer["sessionKey"] as string;
  expect(await call("chat.history", { sessionKey })).toMatchObject({ status: 200, problems: [] });
  for (const id of ["actions.list", "connections.list", "approvals.list", "receipts.list", "openai.models"])
    expect(await call(id), id).toMatchObject({ status: 200, problems: [] });
  const refused = await call("actions.get", { name: "nobody" });
  expect(refused).toMatchObject({ status: 404, answer: { reason: "NOT_FOUND" }, problems: [] });
});

test("the reference page needs neither a script nor anything from elsewhere", async () => {
  const response = await fetch(`${started.gateway.url}/api/v1/docs`);
  const html = await response.text();
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
  expect(html).not.toMatch(/<script|\ssrc=|url\(|@import|https?:\/\//i);
  for (const path of Object.keys(document.paths)) expect(html).toContain(path);
  expect(html).toContain("settings under <code>api</code>.");
});
