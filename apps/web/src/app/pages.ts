import type { MethodName } from "@elwood/core/protocol/methods";
import type { IconName } from "../parts/icon.ts";

/** A page: one folder under `pages/`, loaded when it is first shown. */
export interface PageDef {
  readonly id: string;
  readonly title: string;
  /** Patterns of its addresses; the first one is where its link leads. */
  readonly paths: readonly string[];
  readonly icon: IconName;
  /** Where its link stands: among the first ones, behind "More" on a phone, or nowhere. */
  readonly nav: "main" | "more" | "none";
  /** The page is there only where the gateway has this method. */
  readonly needs?: MethodName;
  /** Second key after `g`. */
  readonly key?: string;
  /** The element, and the code that defines it. */
  readonly tag: string;
  readonly load: () => Promise<unknown>;
}

/** In the order of the navigation. */
export const PAGES: readonly PageDef[] = [
  {
    id: "chat",
    title: "Chat",
    paths: ["/", "/c/:session"],
    icon: "chat",
    nav: "main",
    key: "c",
    tag: "elwood-chat-view",
    load: () => import("../pages/chat/chat-view.ts"),
  },
  {
    id: "approvals",
    title: "Approvals",
    paths: ["/approvals", "/approvals/:approval"],
    icon: "shield",
    nav: "main",
    key: "a",
    tag: "elwood-approvals-page",
    load: () => import("../pages/approvals/approvals-page.ts"),
  },
  {
    id: "runs",
    title: "Runs",
    paths: ["/runs", "/runs/:run"],
    icon: "runs",
    nav: "main",
    needs: "runs.timeline",
    key: "r",
    tag: "elwood-runs-page",
    load: () => import("../pages/runs/runs-page.ts"),
  },
  {
    id: "receipts",
    title: "Receipts",
    paths: ["/receipts", "/receipts/:receipt"],
    icon: "receipt",
    nav: "main",
    key: "e",
    tag: "elwood-receipts-page",
    load: () => import("../pages/receipts/receipts-page.ts"),
  },
  {
    id: "jobs",
    title: "Jobs",
    paths: ["/jobs", "/jobs/:job"],
    icon: "clock",
    nav: "more",
    needs: "jobs.list",
    key: "j",
    tag: "elwood-jobs-page",
    load: () => import("../pages/jobs/jobs-page.ts"),
  },
  {
    id: "tools",
    title: "Tools",
    paths: ["/tools", "/tools/:tool"],
    icon: "tools",
    nav: "more",
    key: "t",
    tag: "elwood-tools-page",
    load: () => import("../pages/tools/tools-page.ts"),
  },
  {
    id: "actions",
    title: "Actions",
    paths: ["/actions", "/actions/:action"],
    icon: "spark",
    nav: "more",
    needs: "actions.list",
    key: "x",
    tag: "elwood-actions-page",
    load: () => import("../pages/actions/actions-page.ts"),
  },
  {
    id: "memory",
    title: "Memory",
    paths: ["/memory", "/memory/:note"],
    icon: "memory",
    nav: "more",
    needs: "memory.list",
    key: "m",
    tag: "elwood-memory-page",
    load: () => import("../pages/memory/memory-page.ts"),
  },
  {
    id: "usage",
    title: "Usage",
    paths: ["/usage"],
    icon: "usage",
    nav: "more",
    needs: "usage.summary",
    key: "u",
    tag: "elwood-usage-page",
    load: () => import("../pages/usage/usage-page.ts"),
  },
  {
    id: "connections",
    title: "Models & keys",
    paths: ["/connections"],
    icon: "plug",
    nav: "more",
    key: "o",
    tag: "elwood-connections-page",
    load: () => import("../pages/connections/connections-page.ts"),
  },
  {
    id: "doctor",
    title: "Doctor",
    paths: ["/doctor"],
    icon: "pulse",
    nav: "more",
    needs: "gateway.doctor",
    key: "d",
    tag: "elwood-doctor-page",
    load: () => import("../pages/doctor/doctor-page.ts"),
  },
  {
    id: "settings",
    title: "Settings",
    paths: ["/settings"],
    icon: "gear",
    nav: "more",
    key: "s",
    tag: "elwood-settings-page",
    load: () => import("../pages/settings/settings-page.ts"),
  },
  {
    id: "welcome",
    title: "Welcome",
    paths: ["/welcome"],
    icon: "spark",
    nav: "none",
    tag: "elwood-welcome-page",
    load: () => import("../pages/welcome/welcome-page.ts"),
  },
];

/** At every other address. */
export const NO_PAGE: PageDef = {
  id: "none",
  title: "Nothing here",
  paths: [],
  icon: "search",
  nav: "none",
  tag: "elwood-no-page",
  load: () => import("../pages/none/no-page.ts"),
};

export function pathOf(page: PageDef): string {
  return page.paths[0] ?? "/";
}
