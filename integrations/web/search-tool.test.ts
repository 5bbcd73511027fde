import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import { describe, expect, test } from "vitest";
import { webTools, type SearchService } from "./index.ts";
import { answering, run } from "./test-scene.ts";

const judge = async () => undefined;
const tool = (search: SearchService) => webTools({ documents: directDocuments(), judge, search })[1]!;
const searxng: SearchService = { provider: "searxng", url: "http://127.0.0.1:8888/sx/" };
const KEY = "brave-canary-77";
const json = (value: unknown, init: ResponseInit = {}) => answering(JSON.stringify(value), init);

describe("EL-9: web.search.query", () => {
  test("asks Brave with the owner's key and gives titles, addresses and texts", async () => {
    const { fetch, asked } = json({
      web: {
        results: [
          {
            title: "A &amp; B",
            url: "https://a.example/x",
            description: "All about <strong>A</strong>.",
            age: "2 days ago",
          },
          { title: "", url: "https://b.example/" },
          { title: "Bad", url: "javascript:alert(1)" },
          { nothing: true },
        ],
      },
    });
    const { value, text } = await run(
      tool({ provider: "brave" }),
      { query: "a b", count: 3, freshness: "week" },
      fetch,
      { BRAVE_SEARCH_API_KEY: KEY },
    );
    expect(asked[0]!.url).toBe("https://api.search.brave.com/res/v1/web/search?q=a+b&count=3&freshness=pw");
    expect(asked[0]!.headers.get("x-subscription-token")).toBe(KEY);
    expect(value).toEqual({
      provider: "brave",
      query: "a b",
      results: [
        { title: "A & B", url: "https://a.example/x", snippet: "All about A.", age: "2 days ago" },
        { title: "https://b.example/", url: "https://b.example/", snippet: "" },
      ],
    });
    expect(text).toContain("1. A & B (2 days ago)\n   https://a.example/x\n   All about A.");
  });

  test("asks the owner's SearXNG, without a key", async () => {
    const { fetch, asked } = json({ results: [{ title: "T", url: "https://t.example/", content: "c" }] });
    const { value } = await run(tool(searxng), { query: "grüße" }, fetch);
    expect(asked[0]!.url).toBe("http://127.0.0.1:8888/sx/search?q=gr%C3%BC%C3%9Fe&format=json");
    expect(value["results"]).toEqual([{ title: "T", url: "https://t.example/", snippet: "c" }]);
    expect(tool(searxng).secrets).toEqual([]);
    expect(tool({ provider: "brave" }).secrets).toEqual(["BRAVE_SEARCH_API_KEY"]);
  });

  test("gives no more than was asked for, and says where nothing was found", async () => {
    const rows = Array.from({ length: 50 }, (_, at) => ({ title: `${at}`, url: `https://t.example/${at}` }));
    const many = await run(tool(searxng), { query: "x", count: 2 }, json({ results: rows }).fetch);
    expect(many.value["results"]).toHaveLength(2);
    expect((await run(tool(searxng), { query: "x" }, json({}).fetch)).text).toBe("[Nothing was found.]");
  });

  test.each<[string, SearchService, number, string]>([
    ["a wrong key", { provider: "brave" }, 401, "Look whether BRAVE_SEARCH_API_KEY is right."],
    ["too many searches", { provider: "brave" }, 429, "it was asked too often."],
    ["a SearXNG that answers no programs", searxng, 403, "until `json` stands under `search.formats`"],
    ["a broken service", searxng, 500, "something is broken there."],
  ])("%s is told with what to do", async (_what, service, status, words) => {
    const failed = run(tool(service), { query: "x" }, json({}, { status }).fetch, {
      BRAVE_SEARCH_API_KEY: KEY,
    });
    await expect(failed).rejects.toMatchObject({ code: `http_${status}` });
    await expect(failed).rejects.toThrow(words);
  });

  test("an answer that is no search result is told", async () => {
    const { fetch } = answering("<html>Sign in to the hotel's network</html>");
    await expect(run(tool(searxng), { query: "x" }, fetch)).rejects.toThrow(
      "did not answer as a search does",
    );
  });

  test("without a service there is no tool that searches", () => {
    expect(webTools({ documents: directDocuments(), judge }).map(({ id }) => id)).toEqual(["web.page.fetch"]);
  });

  test("the card shows where the words go, and never the key", async () => {
    const shown = await tool({ provider: "brave" }).preview!(
      { query: "my words", count: 2 },
      new AbortController().signal,
      {},
    );
    expect(shown).toMatchObject({
      subject: "api.search.brave.com",
      sentence: "Searches the web for “my words” at api.search.brave.com.",
    });
    expect(shown.after).toContain("GET https://api.search.brave.com/res/v1/web/search?q=my+words&count=2");
    expect(shown.after).toContain("x-subscription-token: (your key)");
  });
});
