import type { FolderEdges } from "./tidy.ts";

/**
 * Which folders may import which others of the same part: a table to be made smaller. A new edge
 * is added by hand, with a reason in its commit; one that is gone has to go from here.
 */
export const FOLDER_EDGES: FolderEdges = {
  "apps/gateway/src/agents": ["config"],
  "apps/gateway/src/auth": ["config", "files", "providers", "state"],
  "apps/gateway/src/browser": ["tools", "web"],
  "apps/gateway/src/cli": [
    ".",
    "agents",
    "auth",
    "browser",
    "config",
    "files",
    "log",
    "memory",
    "receipts",
    "server",
    "state",
    "store",
    "web",
    "workspace-tools",
  ],
  "apps/gateway/src/config": ["agents", "files"],
  "apps/gateway/src/forget": [".", "files", "memory", "store", "tools"],
  "apps/gateway/src/memory": ["config", "files", "state", "store", "tools"],
  "apps/gateway/src/methods": [
    "auth",
    "config",
    "forget",
    "memory",
    "receipts",
    "server",
    "state",
    "tools",
    "views",
  ],
  "apps/gateway/src/programs": ["checker", "sandbox", "state", "tools"],
  "apps/gateway/src/providers": ["auth", "cli", "config"],
  "apps/gateway/src/receipts": ["config", "files", "state", "store"],
  "apps/gateway/src/server": ["config", "methods", "state"],
  "apps/gateway/src/state": ["files"],
  "apps/gateway/src/store": ["config", "state", "views"],
  "apps/gateway/src/tools": ["config", "memory", "programs", "state", "workspace-tools"],
  "apps/gateway/src/views": ["auth", "cli", "config", "log", "receipts"],
  "apps/gateway/src/web": ["config", "tools"],
  "apps/gateway/src/workspace-tools": ["config", "files", "sandbox", "state", "tools"],
  "packages/core/src/card": ["."],
  "packages/core/src/compaction": ["."],
  "packages/core/src/forget": [".", "memory"],
  "packages/core/src/grounding": [".", "request"],
  "packages/core/src/memory": ["."],
  "packages/core/src/protocol": [".", "card", "memory"],
  "packages/core/src/said": ["."],
  "packages/runtime/src/compaction": ["."],
  "packages/runtime/src/gate": [".", "programs"],
  "packages/runtime/src/programs": [".", "gate"],
  "packages/sdk/src/documents": ["."],
};

/** Folders that import each other today, to be taken apart; no other pair may come. */
export const KNOWN_MUTUAL_PAIRS: readonly string[] = [
  "apps/gateway/src: agents ↔ config",
  "apps/gateway/src: auth ↔ providers",
  "apps/gateway/src: memory ↔ tools",
  "apps/gateway/src: methods ↔ server",
  "apps/gateway/src: programs ↔ tools",
  "apps/gateway/src: tools ↔ workspace-tools",
  "packages/runtime/src: gate ↔ programs",
];
