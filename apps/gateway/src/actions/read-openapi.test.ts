import { LIMITS } from "@elwood/core/base/limits";
import { expect, test } from "vitest";
import { readOpenApi } from "./read-openapi.ts";

const around = { knownConnection: () => false, openOrigins: new Set<string>() };
const read = (text: string) => readOpenApi(text, "folder/shop.yaml", around);
const problemsOf = (text: string) => {
  const answer = read(text);
  return answer.ok ? [] : answer.error;
};

const SHOP = `openapi: 3.1.0
info: { title: Flower Shop, version: "2" }
servers: [{ url: https://shop.example/api/ }]
security: [{ key: [] }]
paths:
  /orders/{orderId}:
    parameters: [{ name: orderId, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getOrder
      summary: One order.
      parameters:
        - { name: fields, in: query, schema: { type: array, items: { type: string } } }
    post:
      operationId: payOrder
      security: []
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Payment" }
  /upload:
    post: { requestBody: { content: { text/csv: {} } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Shop-Key } }
  schemas:
    Payment:
      type: object
      required: [amount]
      properties:
        amount: { $ref: "#/components/schemas/Amount" }
        note: { type: string, nullable: true, example: thanks }
    Amount: { type: number, minimum: 0 }
`;

test("each operation becomes an http action, with its inputs in their places and its key as a variable", () => {
  const answer = read(SHOP);
  expect(answer.ok && answer.value.manifest.actions).toEqual({
    "flower-shop-get-order": {
      kind: "http",
      task: "http",
      description: "One order.",
      http: {
        method: "GET",
        url: "https://shop.example/api/orders/{{orderId}}",
        query: ["fields"],
        headers: { "X-Shop-Key": "${FLOWER_SHOP_KEY}" },
        body: "none",
        input_schema: {
          type: "object",
          properties: { orderId: { type: "integer" }, fields: { type: "array", items: { type: "string" } } },
          required: ["orderId"],
          additionalProperties: false,
        },
      },
    },
    "flower-shop-pay-order": {
      kind: "http",
      task: "http",
      http: {
        method: "POST",
        url: "https://shop.example/api/orders/{{orderId}}",
        body: "json",
        input_schema: {
          type: "object",
          properties: {
            orderId: { type: "integer" },
            amount: { type: "number", minimum: 0 },
            note: { type: ["string", "null"] },
          },
          required: ["orderId", "amount"],
          additionalProperties: false,
        },
      },
    },
  });
  expect(answer.ok && answer.value.leftOut).toEqual([
    "shop.yaml:21 `paths./upload.post` was left out: its body is not JSON",
  ]);
});

test.each([
  ["an old version", SHOP.replace("openapi: 3.1.0", 'swagger: "2.0"'), /^shop\.yaml:1 .*"2\.0"; OpenAPI 3/],
  ["a version nobody knows", SHOP.replace("3.1.0", "4.0.0"), /^shop\.yaml:1 .*4\.0\.0/],
  [
    "a schema that refers to itself",
    SHOP.replace(
      "Amount: { type: number, minimum: 0 }",
      'Amount: { items: { $ref: "#/components/schemas/Amount" } }',
    ),
    /^shop\.yaml:17 .*refers to itself by "#\/components\/schemas\/Amount"/,
  ],
  [
    "a reference elsewhere",
    SHOP.replace("#/components/schemas/Amount", "https://x.example/a"),
    /another document/,
  ],
  [
    "a reference to nothing",
    SHOP.replace("#/components/schemas/Amount", "#/components/schemas/No"),
    /not there/,
  ],
  ["a private address", SHOP.replace("shop.example/api/", "192.168.1.5/"), /^shop\.yaml:3 .*private address/],
  [
    "a server that is not fixed",
    SHOP.replace("https://shop.example/api/", '"https://{where}.example"'),
    /^shop\.yaml:3 .*variable/,
  ],
  [
    "a server without a host",
    SHOP.replace("https://shop.example/api/", "/api"),
    /^shop\.yaml:3 .*whole address/,
  ],
  [
    "a header that begins another",
    SHOP.replace("X-Shop-Key", '"X-Key\\r\\nEvil"'),
    /^shop\.yaml:9 .*name of a header/,
  ],
  ["a header of Elwood's own", SHOP.replace("X-Shop-Key", "Host"), /^shop\.yaml:9 .*Elwood itself sends/],
  [
    "a secret",
    SHOP.replace("example: thanks", "example: ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    /^shop\.yaml:30 holds a secret/,
  ],
  ["nothing to import", "openapi: 3.0.3\nservers: [{ url: https://a.example }]\npaths: {}\n", /no operation/],
  ["broken YAML", "openapi: [", /^shop\.yaml:1 cannot be read/],
  [
    "aliases without end",
    `a: &a [1]\nb: &b [${"*a,".repeat(200)}]\nc: [${"*b,".repeat(200)}]\n`,
    /unfolds without end/,
  ],
  ["a file beyond the limit", "x".repeat(LIMITS.openApiFileBytesMax + 1), /larger than 512 KB/],
])("refused with file and line: %s", (_what, text, says) => {
  expect(problemsOf(text).join("\n")).toMatch(says);
});
