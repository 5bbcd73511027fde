import { expect, test } from "vitest";
import { Router, type Route } from "./router.ts";

const route = (verb: Route["verb"], path: string): Route => ({
  verb,
  path,
  scope: "admin",
  about: { id: path, summary: "" },
  handle: async () => {},
});

test("a path with a fixed part goes before one with a free part, and free parts are decoded", () => {
  const router = new Router([
    route("GET", "/a/{name}"),
    route("GET", "/a/b"),
    route("POST", "/a/{name}/run"),
  ]);
  expect(router.match("GET", "/a/b")).toMatchObject({ kind: "found", route: { path: "/a/b" }, path: {} });
  expect(router.match("GET", "/a/c%20d")).toMatchObject({
    route: { path: "/a/{name}" },
    path: { name: "c d" },
  });
  expect(router.match("HEAD", "/a/b")).toMatchObject({ kind: "found" });
});

test("what is not there is told apart from another verb", () => {
  const router = new Router([route("GET", "/a/{name}"), route("POST", "/a/{name}")]);
  expect(router.match("PUT", "/a/x")).toEqual({ kind: "other-verb", allow: ["GET", "HEAD", "POST"] });
  for (const path of ["/a", "/a/", "/a/x/", "/a//x", "/a/%E0%A4%A", "/"])
    expect(router.match("GET", path), path).toEqual({ kind: "none" });
});

test("two routes for one address are a mistake that shows at once", () => {
  expect(() => new Router([route("GET", "/a/{name}"), route("GET", "/a/{id}")])).toThrow("two routes");
});
