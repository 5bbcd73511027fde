import type { WireSession } from "@elwood/core/protocol/shapes";
import { expect, test } from "vitest";
import { SessionIndex } from "./session-index.ts";

test("a session that went while the connection was away is not listed after it is back", async () => {
  const gateway = gatewayWith(3);
  const index = new SessionIndex(gateway.link);
  await index.refresh();
  gateway.sessions.splice(1, 1);
  await index.refresh();
  expect(titles(index)).toEqual(["2", "0"]);
});

test("of a long list only what stands before the end of its first page is known anew; the rest stays", async () => {
  const gateway = gatewayWith(250);
  const index = new SessionIndex(gateway.link);
  await index.refresh();
  await index.loadMore();
  expect(titles(index)).toHaveLength(200);
  gateway.sessions.splice(2, 1);
  await index.refresh();
  expect(titles(index).slice(0, 3)).toEqual(["249", "248", "246"]);
  expect(titles(index)).toHaveLength(199);
  await index.loadMore();
  expect(titles(index)).toHaveLength(249);
  expect(new Set(titles(index)).size).toBe(249);
});

test("a session that does not fit the words any more leaves what was found by them", async () => {
  const gateway = gatewayWith(2);
  const index = new SessionIndex(gateway.link);
  await index.ask("1", "list");
  expect(titles(index)).toEqual(["1"]);
  Object.assign(gateway.sessions[0]!, { title: "otherwise" });
  await index.refresh();
  expect(titles(index)).toEqual([]);
});

function titles(index: SessionIndex): string[] {
  return index.view.value.sessions.map(({ title }) => title);
}

/** Sessions that are called by their number, the last one the newest; told a hundred at a time. */
test("what lies in a folder is listed however old it is, and is loose again once it was taken out elsewhere", async () => {
  const gateway = gatewayWith(250);
  gateway.sessions[240] = { ...gateway.sessions[240]!, folder: "Trips" };
  const index = new SessionIndex(gateway.link);
  const folders = () => index.view.value.sessions.flatMap(({ folder }) => folder ?? []);
  await index.refresh();
  expect(titles(index)).toHaveLength(101);
  expect(folders()).toEqual(["Trips"]);
  const { folder: _folder, ...loose } = gateway.sessions[240];
  gateway.sessions[240] = loose;
  await index.refresh();
  expect(folders()).toEqual([]);
});

interface Asked {
  readonly before?: string;
  readonly query?: string;
  readonly filed?: boolean;
}

function gatewayWith(count: number) {
  const sessions = Array.from({ length: count }, (_, i): WireSession => ({
    sessionKey: `ses_${i}`,
    agentId: "default",
    title: String(i),
    titledBy: "owner",
    preview: "",
    pinned: false,
    createdAt: i,
    updatedAt: i,
    messageCount: 0,
  })).toReversed();
  const answer = (_: string, { before, query = "", filed = false }: Asked) => {
    const fitting = sessions.filter(({ title, folder }) => title.includes(query) && (!filed || folder));
    const from = before === undefined ? 0 : fitting.findIndex(({ sessionKey }) => sessionKey === before) + 1;
    const page = fitting.slice(from, from + 100);
    const isAll = from + page.length >= fitting.length;
    return Promise.resolve({ sessions: page, ...(isAll ? {} : { next: page.at(-1)?.sessionKey }), hits: [] });
  };
  const none = () => () => {};
  // What it is asked for here are lists of sessions.
  const call = answer as unknown as ConstructorParameters<typeof SessionIndex>[0]["call"];
  return { sessions, link: { call, onReady: none, onPush: none, ready: true, has: () => true } };
}
