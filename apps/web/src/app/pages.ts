import type { MethodName } from "@elwood/core/protocol/methods";
import type { IconName } from "../parts/icon.ts";
import { say } from "../words/en/app.ts";

/** The parts of Elwood, in the order of the navigation. */
export const PLACES = [
  {
    id: "chat",
    get title() {
      return say.chat;
    },
    icon: "chat",
  },
  {
    id: "approvals",
    get title() {
      return say.approvals;
    },
    icon: "shield",
  },
  {
    id: "activity",
    get title() {
      return say.activity;
    },
    icon: "runs",
  },
  {
    id: "memory",
    get title() {
      return say.memory;
    },
    icon: "memory",
  },
  {
    id: "settings",
    get title() {
      return say.settings;
    },
    icon: "gear",
  },
] as const satisfies readonly { readonly id: string; readonly title: string; readonly icon: IconName }[];
export type Place = (typeof PLACES)[number];
export type PlaceId = Place["id"];

/** A page: one folder under `pages/`, loaded when it is first shown. */
export interface PageDef {
  readonly id: string;
  readonly title: string;
  /** Patterns of its addresses; the first one is where its link leads. */
  readonly paths: readonly string[];
  readonly icon: IconName;
  /** Which part of Elwood it belongs to; none has a link. */
  readonly place?: PlaceId;
  /** The page is there only where the gateway has this method. */
  readonly needs?: MethodName;
  /** Second key after `g`. */
  readonly key?: string;
  /** The element, and the code that defines it. */
  readonly tag: string;
  readonly load: () => Promise<unknown>;
}

/** In the order of the navigation; a place begins with its first page. */
export const PAGES: readonly PageDef[] = [
  {
    id: "chat",
    get title() {
      return say.chat;
    },
    paths: ["/", "/c/:session"],
    icon: "chat",
    place: "chat",
    key: "c",
    tag: "elwood-chat-view",
    load: () => import("../pages/chat/chat-view.ts"),
  },
  {
    id: "approvals",
    get title() {
      return say.approvals;
    },
    paths: ["/approvals", "/approvals/:approval"],
    icon: "shield",
    place: "approvals",
    key: "a",
    tag: "elwood-approvals-page",
    load: () => import("../pages/approvals/approvals-page.ts"),
  },
  {
    id: "runs",
    get title() {
      return say.runs;
    },
    paths: ["/runs", "/runs/:run"],
    icon: "runs",
    place: "activity",
    needs: "runs.timeline",
    key: "r",
    tag: "elwood-runs-page",
    load: () => import("../pages/runs/runs-page.ts"),
  },
  {
    id: "receipts",
    get title() {
      return say.receipts;
    },
    paths: ["/receipts", "/receipts/:receipt"],
    icon: "receipt",
    place: "activity",
    key: "e",
    tag: "elwood-receipts-page",
    load: () => import("../pages/receipts/receipts-page.ts"),
  },
  {
    id: "jobs",
    get title() {
      return say.jobs;
    },
    paths: ["/jobs", "/jobs/:job"],
    icon: "clock",
    place: "activity",
    needs: "jobs.list",
    key: "j",
    tag: "elwood-jobs-page",
    load: () => import("../pages/jobs/jobs-page.ts"),
  },
  {
    id: "memory",
    get title() {
      return say.memory;
    },
    paths: ["/memory", "/memory/:note"],
    icon: "memory",
    place: "memory",
    needs: "memory.list",
    key: "m",
    tag: "elwood-memory-page",
    load: () => import("../pages/memory/memory-page.ts"),
  },
  {
    id: "settings",
    get title() {
      return say.general;
    },
    paths: ["/settings"],
    icon: "gear",
    place: "settings",
    key: "s",
    tag: "elwood-settings-page",
    load: () => import("../pages/settings/settings-page.ts"),
  },
  {
    id: "connections",
    get title() {
      return say.modelsKeys;
    },
    paths: ["/connections"],
    icon: "key",
    place: "settings",
    key: "o",
    tag: "elwood-connections-page",
    load: () => import("../pages/connections/connections-page.ts"),
  },
  {
    id: "tools",
    get title() {
      return say.toolsPolicy;
    },
    paths: ["/tools", "/tools/:tool"],
    icon: "tools",
    place: "settings",
    key: "t",
    tag: "elwood-tools-page",
    load: () => import("../pages/tools/tools-page.ts"),
  },
  {
    id: "channels",
    get title() {
      return say.channels;
    },
    paths: ["/channels"],
    icon: "chat",
    place: "settings",
    needs: "channels.list",
    key: "n",
    tag: "elwood-channels-page",
    load: () => import("../pages/connections/channels-page.ts"),
  },
  {
    id: "integrations",
    get title() {
      return say.integrations;
    },
    paths: ["/integrations"],
    icon: "plug",
    place: "settings",
    needs: "integrations.list",
    key: "i",
    tag: "elwood-integrations-page",
    load: () => import("../pages/connections/integrations-page.ts"),
  },
  {
    id: "actions",
    get title() {
      return say.actions;
    },
    paths: ["/actions", "/actions/:action"],
    icon: "spark",
    place: "settings",
    needs: "actions.list",
    key: "x",
    tag: "elwood-actions-page",
    load: () => import("../pages/actions/actions-page.ts"),
  },
  {
    id: "usage",
    get title() {
      return say.usage;
    },
    paths: ["/usage"],
    icon: "usage",
    place: "settings",
    needs: "usage.summary",
    key: "u",
    tag: "elwood-usage-page",
    load: () => import("../pages/usage/usage-page.ts"),
  },
  {
    id: "doctor",
    get title() {
      return say.health;
    },
    paths: ["/doctor"],
    icon: "pulse",
    place: "settings",
    needs: "gateway.doctor",
    key: "d",
    tag: "elwood-doctor-page",
    load: () => import("../pages/doctor/doctor-page.ts"),
  },
  {
    id: "welcome",
    get title() {
      return say.welcome;
    },
    paths: ["/welcome"],
    icon: "spark",
    tag: "elwood-welcome-page",
    load: () => import("../pages/welcome/welcome-page.ts"),
  },
];

/** At every other address. */
export const NO_PAGE: PageDef = {
  id: "none",
  get title() {
    return say.nothingHere;
  },
  paths: [],
  icon: "search",
  tag: "elwood-no-page",
  load: () => import("../pages/none/no-page.ts"),
};

export function pathOf(page: PageDef): string {
  return page.paths[0] ?? "/";
}

/** Addresses that people may have kept or guess, and where they lead. */
export const MOVED: Readonly<Record<string, string>> = {
  "/activity": "/runs",
  "/models": "/connections",
  "/policy": "/tools",
};
