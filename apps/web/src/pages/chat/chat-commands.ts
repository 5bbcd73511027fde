import type { Command } from "../../app/commands.ts";
import type { ChatHead } from "./chat-head.ts";
import type { ChatView } from "./chat-view.ts";
import { SIDE_TABS, type SideTab } from "./side-place.ts";
import type { SessionList } from "./session-list.ts";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

/** The message box hears these itself. */
const BOX_KEYS = [
  ["Enter", "sendQueueWhileAnAnswerIs"],
  ["shift+Enter", "beginANewLine"],
  ["ArrowUp", "inTheEmptyBoxBringThe"],
  ["Escape", "stopTheAnswerElseLeaveThe"],
  ["alt+ArrowUp", "moveAQueuedMessageUp"],
  ["alt+ArrowDown", "moveAQueuedMessageDown"],
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
    {
      id: "chat-new",
      title: say.newSession,
      group: say.chat,
      keys: "mod+shift+o",
      run: () => view.newSession(),
    },
    {
      id: "chat-new-n",
      title: say.newSessionOutsideTheMessageBox,
      group: say.chat,
      keys: "n",
      run: () => view.newSession(),
    },
    { id: "chat-write", title: say.writeAMessage, group: say.chat, keys: "/", run: () => view.focusBox() },
    {
      id: "chat-stop",
      title: say.stopTheAnswer,
      group: say.chat,
      keys: "Escape",
      when: () => chat.open.value.unfinished !== undefined,
      run: () => chat.stop(),
    },
    {
      id: "chat-side",
      title: say.showOrHideEvidenceRunAnd,
      group: say.chat,
      keys: "mod+shift+e",
      run: () => view.side.toggle(),
    },
    ...(Object.keys(SIDE_TABS) as SideTab[]).map((tab): Command => ({
      id: `chat-side-${tab}`,
      title: fill(say.ofThisConversation, SIDE_TABS[tab]),
      group: say.chat,
      run: () => view.side.show(tab),
    })),
    { id: "chat-next", title: say.nextSession, group: say.chat, keys: "]", run: () => step(1) },
    { id: "chat-previous", title: say.previousSession, group: say.chat, keys: "[", run: () => step(-1) },
    {
      id: "chat-rename",
      title: say.renameThisSession,
      group: say.chat,
      when: () => chat.open.value.session.value !== undefined,
      run: () => view.querySelector<ChatHead>("elwood-chat-head")?.rename(),
    },
    {
      id: "chat-find",
      title: say.findInThisConversation,
      group: say.chat,
      when: () => !chat.open.value.isEmpty,
      run: () => view.find(),
    },
    {
      id: "chat-search",
      title: say.searchSessions,
      group: say.chat,
      keys: "s",
      run: () => {
        view.openDrawer();
        view.querySelector<SessionList>("elwood-session-list")?.focusSearch();
      },
    },
    ...BOX_KEYS.map(([keys, title]): Command => ({
      id: `box-${keys}`,
      title: say[title],
      group: say.theMessageBox,
      keys,
      local: true,
      run: () => {},
    })),
  ];
}
