import type { FolderEdges } from "./tidy.ts";

/**
 * Which folders may import which others of the same part: a table to be made smaller. A new edge
 * is added by hand, with a reason in its commit; one that is gone has to go from here.
 */
export const FOLDER_EDGES: FolderEdges = {
  "apps/gateway/src/agents": [
    "config"
  ],
  "apps/gateway/src/auth": [
    "config"
  ],
  "apps/gateway/src/browser": [
    "tools",
    "web"
  ],
  "apps/gateway/src/doctor": [
    ".",
    "agents",
    "auth",
    "browser",
    "config",
    "server",
    "state",
    "web"
  ],
  "apps/gateway/src/memory": [
    "config"
  ],
  "apps/gateway/src/methods": [
    "auth",
    "tools",
    "views"
  ],
  "apps/gateway/src/server": [
    "auth",
    "config",
    "methods",
    "state"
  ],
  "apps/gateway/src/tools": [
    "config"
  ],
  "apps/gateway/src/views": [
    "auth",
    "config",
    "doctor",
    "log"
  ],
  "apps/gateway/src/web": [
    "config",
    "tools"
  ],
  "packages/core/src/card": [
    "base",
    "tool"
  ],
  "packages/core/src/compaction": [
    "base",
    "message",
    "model"
  ],
  "packages/core/src/erase": [
    "base",
    "memory",
    "message"
  ],
  "packages/core/src/grounding": [
    "base",
    "message",
    "request",
    "tool"
  ],
  "packages/core/src/markdown": [
    "base",
    "grounding",
    "message",
    "request"
  ],
  "packages/core/src/memory": [
    "base",
    "model",
    "tool"
  ],
  "packages/core/src/message": [
    "base",
    "memory"
  ],
  "packages/core/src/model": [
    "base",
    "message"
  ],
  "packages/core/src/net": [
    "base"
  ],
  "packages/core/src/outgoing": [
    "net"
  ],
  "packages/core/src/policy": [
    "base",
    "receipts",
    "said",
    "tool"
  ],
  "packages/core/src/protocol": [
    "base",
    "card",
    "memory",
    "message",
    "policy",
    "receipts",
    "tool"
  ],
  "packages/core/src/receipts": [
    "base"
  ],
  "packages/core/src/said": [
    "authority",
    "base",
    "outgoing",
    "tool"
  ],
  "packages/core/src/tool": [
    "base",
    "model",
    "receipts"
  ],
  "packages/isolation/src/tool-host": [
    "quickjs"
  ],
  "packages/memory/src/erase": [
    "index",
    "notes"
  ],
  "packages/memory/src/index": [
    ".",
    "notes",
    "search"
  ],
  "packages/memory/src/notes": [
    "."
  ],
  "packages/memory/src/recall": [
    "index",
    "notes"
  ],
  "packages/memory/src/search": [
    ".",
    "index"
  ],
  "packages/runtime/src/compaction": [
    "ports",
    "run"
  ],
  "packages/runtime/src/gate": [
    "async",
    "ports",
    "programs",
    "run"
  ],
  "packages/runtime/src/programs": [
    "async",
    "gate",
    "ports"
  ],
  "packages/runtime/src/run": [
    "async",
    "compaction",
    "ports"
  ],
  "packages/sdk/src/documents": [
    "."
  ],
  "packages/sdk/src/schema": [
    "."
  ],
  "packages/sdk/src/testing": [
    "model-script"
  ],
  "packages/sdk/src/view-state": [
    "."
  ],
  "packages/store-sqlite/src/migrations": [
    "."
  ],
  "packages/store-sqlite/src/receipts": [
    "."
  ]
};

/** Folders that import each other today, to be taken apart; no other pair may come. */
export const KNOWN_MUTUAL_PAIRS: readonly string[] = [
  "packages/memory/src: index ↔ search",
  "packages/runtime/src: compaction ↔ run",
  "packages/runtime/src: gate ↔ programs"
];
