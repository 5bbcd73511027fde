import type { Risk, TrustLabels } from "../../tool/tool.ts";

/** The tools of the cases: labels and arguments as a household would write them. */
export interface CaseTool {
  readonly id: string;
  readonly risk: Risk;
  readonly canUndo: boolean;
  /** It exists in the gateway under this id. */
  readonly builtIn?: boolean;
  readonly labels: TrustLabels;
  /** Names of the arguments; the first is needed. */
  readonly input: readonly string[];
}

const HERE: TrustLabels = {
  egress: "none",
  output: "trusted",
  critical: [],
  ids: {},
  content: [],
  time: [],
  sensitive: false,
};
const OUT: TrustLabels = { ...HERE, egress: "third_party" };

export const CASE_TOOLS: readonly CaseTool[] = [
  {
    id: "bank.transfer.create",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["to", "amount", "monthly"], content: ["note"] },
    input: ["to", "amount", "monthly", "note"],
  },
  {
    id: "mail.message.send",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["to", "cc"], content: ["subject", "body"] },
    input: ["to", "cc", "subject", "body"],
  },
  {
    id: "chat.message.post",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["channel"], content: ["text"] },
    input: ["channel", "text"],
  },
  {
    id: "home.door.set",
    risk: "write",
    canUndo: false,
    labels: { ...HERE, critical: ["door", "locked"] },
    input: ["door", "locked"],
  },
  {
    id: "home.heating.set",
    risk: "write",
    canUndo: false,
    labels: { ...HERE, critical: ["room", "degrees"] },
    input: ["room", "degrees"],
  },
  {
    id: "calendar.event.create",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["who"], content: ["title"], time: ["start", "end"] },
    input: ["title", "who", "start", "end"],
  },
  {
    id: "papers.file.share",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["name", "who", "right"] },
    input: ["name", "who", "right"],
  },
  {
    id: "site.repo.create",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["name", "private"] },
    input: ["name", "private"],
  },
  {
    id: "shop.order.create",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["item", "count"], verbs: ["pay"] },
    input: ["item", "count"],
  },
  {
    id: "travel.train.book",
    risk: "write",
    canUndo: false,
    labels: { ...OUT, critical: ["from", "to"], time: ["day"] },
    input: ["from", "to", "day"],
  },
  { id: "house.topic.look", risk: "read", canUndo: false, labels: OUT, input: ["hint"] },
  {
    id: "web.page.fetch",
    builtIn: true,
    risk: "read",
    canUndo: false,
    labels: { ...OUT, output: "untrusted", critical: ["url"] },
    input: ["url"],
  },
  {
    id: "files.file.write",
    builtIn: true,
    risk: "write",
    canUndo: true,
    labels: { ...HERE, critical: ["path"], content: ["content"] },
    input: ["path", "content"],
  },
  {
    id: "files.file.move",
    builtIn: true,
    risk: "write",
    canUndo: true,
    labels: { ...HERE, critical: ["from", "to", "overwrite"] },
    input: ["from", "to", "overwrite"],
  },
  {
    id: "memory.note.save",
    builtIn: true,
    risk: "write",
    canUndo: true,
    labels: { ...HERE, content: ["content"] },
    input: ["key", "content"],
  },
];
