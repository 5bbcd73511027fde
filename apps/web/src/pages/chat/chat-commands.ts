import type { Command } from "../../app/commands.ts";
import type { ChatHead } from "./chat-head.ts";
import type { ChatView } from "./chat-view.ts";
import { SIDE_TABS, type SideTab } from "./side-place.ts";
import type { SessionList } from "./session-list.ts";

const GROUP = "Chat";

/** The message box hears these itself. */
const BOX_KEYS = [
  ["Enter", "Send, queue while an answer is written, or answer the question that waits"],
  ["shift+Enter", "Begin a new line"],
  ["ArrowUp", "In the empty box: bring the last message back"],
  ["Escape", "Stop the answer; else leave the box"],
  ["alt+ArrowUp", "Move a queued message up"],
  ["alt+ArrowDown", "Move a queued message down"],
] as const;

/** What the chat can do from the keyboard and the palette. */
export function chatCommands(view: ChatView): readonly Command[] {
  const { chat } = view;
  const step = (by: number) => {
    const { sessions } = chat.sessions.view.value;
    const at = sessions.findIndex(({ sessionKey }) => sessionKey === chat.open.value.sessionKey);
    const wanted = sessions[at < 0 ? 0 : at + by];
    if (wanted) view.step(wanted.sessionKey);
  };
  return [
    { id: "chat-new", title: "New session", group: GROUP, keys: "mod+shift+o", run: () => view.newSession() },
    {
      id: "chat-new-n",
      title: "New session, outside the message box",
      group: GROUP,
      keys: "n",
      run: () => view.newSession(),
    },
    { id: "chat-write", title: "Write a message", group: GROUP, keys: "/", run: () => view.focusBox() },
    {
      id: "chat-stop",
      title: "Stop the answer",
      group: GROUP,
      keys: "Escape",
      when: () => chat.open.value.unfinished !== undefined,
      run: () => chat.stop(),
    },
    {
      id: "chat-side",
      title: "Show or hide evidence, run and files",
      group: GROUP,
      keys: "mod+shift+e",
      run: () => view.side.toggle(),
    },
    ...(Object.keys(SIDE_TABS) as SideTab[]).map((tab): Command => ({
      id: `chat-side-${tab}`,
      title: `${SIDE_TABS[tab]} of this conversation`,
      group: GROUP,
      run: () => view.side.show(tab),
    })),
    { id: "chat-next", title: "Next session", group: GROUP, keys: "]", run: () => step(1) },
    { id: "chat-previous", title: "Previous session", group: GROUP, keys: "[", run: () => step(-1) },
    {
      id: "chat-rename",
      title: "Rename this session",
      group: GROUP,
      when: () => chat.open.value.session.value !== undefined,
      run: () => view.querySelector<ChatHead>("elwood-chat-head")?.rename(),
    },
    {
      id: "chat-find",
      title: "Find in this conversation",
      group: GROUP,
      when: () => !chat.open.value.isEmpty,
      run: () => view.find(),
    },
    {
      id: "chat-search",
      title: "Search sessions",
      group: GROUP,
      keys: "s",
      run: () => {
        view.openDrawer();
        view.querySelector<SessionList>("elwood-session-list")?.focusSearch();
      },
    },
    ...BOX_KEYS.map(([keys, title]): Command => ({
      id: `box-${keys}`,
      title,
      group: "The message box",
      keys,
      local: true,
      run: () => {},
    })),
  ];
}
