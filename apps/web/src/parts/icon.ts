import { svg, html, type TemplateResult } from "lit";

/** Drawn on a grid of 20, with a line of 1.6; the words beside them carry the meaning. */
const PATHS = {
  chat: "M4 4.5h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H9.5L6 16.5v-3H4a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1Z",
  shield: "M10 2.8 4 5v4.6c0 3.6 2.5 6.2 6 7.6 3.5-1.4 6-4 6-7.6V5l-6-2.2Zm-2.4 7 1.8 1.8 3.2-3.6",
  runs: "M3 5h7M6 10h8M9 15h8",
  receipt: "M5 2.8h10v14.4l-2-1.3-1.6 1.3L10 15.9l-1.4 1.3L7 15.9l-2 1.3V2.8ZM7.6 7h4.8M7.6 10.4h4.8",
  memory: "M5 3h8.5L16 5.5V17H5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Zm2.5 5h6M7.5 11h6M7.5 14h3.5",
  tools:
    "M12.4 3.2a4 4 0 0 0-3.9 5.3l-5.2 5.2 2.9 2.9 5.2-5.2a4 4 0 0 0 5.2-5.1l-2.5 2.5-2.4-.6-.6-2.4 2.5-2.5a4 4 0 0 0-1.2-.1Z",
  usage: "M3.5 16.5h13M5.5 13.5v-4M10 13.5v-9M14.5 13.5v-6",
  plug: "M7 3v4M13 3v4M5 7h10v2.5a5 5 0 0 1-10 0V7Zm5 7.5V17",
  gear: "M10 7.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2Zm0-4.6v2M10 15.2v2M2.8 10h2M15.2 10h2M4.9 4.9l1.4 1.4M13.7 13.7l1.4 1.4M15.1 4.9l-1.4 1.4M6.3 13.7l-1.4 1.4",
  pulse: "M2.5 10.5h3.6l2-5.5 3.6 10 2.2-4.5h3.6",
  clock: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm0 3.4V10l2.6 1.8",
  plus: "M10 4v12M4 10h12",
  search: "M8.8 3.8a5 5 0 1 0 0 10 5 5 0 0 0 0-10Zm3.6 8.6 4 4",
  close: "M5 5l10 10M15 5 5 15",
  menu: "M3.5 5.5h13M3.5 10h13M3.5 14.5h13",
  stop: "M5.5 5.5h9v9h-9Z",
  play: "M6.5 4.2 15.5 10l-9 5.8V4.2Z",
  pause: "M7 4.5v11M13 4.5v11",
  copy: "M7.5 7.5h8v9h-8ZM4.5 12.5v-9h8",
  check: "M4 10.5 8 14.5 16 5.5",
  cross: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  denied: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM5.2 5.2l9.6 9.6",
  hourglass: "M5.5 3h9M5.5 17h9M6.5 3v2.5L10 10l-3.5 4.5V17M13.5 3v2.5L10 10l3.5 4.5V17",
  question: "M7 7.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2M10 15.2v.3",
  warning: "M10 3.2 17.5 16.5h-15L10 3.2Zm0 4.6v4.2M10 14.2v.3",
  eye: "M2.5 10S5.2 5 10 5s7.5 5 7.5 5-2.7 5-7.5 5-7.5-5-7.5-5Zm7.5-2a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z",
  dot: "M10 9a1 1 0 1 0 0 2 1 1 0 0 0 0-2Z",
  down: "M5 7.5l5 5 5-5",
  higher: "M5 12.5l5-5 5 5",
  grip: "M7.5 5v.2M7.5 10v.2M7.5 15v.2M12.5 5v.2M12.5 10v.2M12.5 15v.2",
  right: "M7.5 5l5 5-5 5",
  left: "M12.5 5l-5 5 5 5",
  panel: "M3.5 4.5h13v11h-13ZM12 4.5v11",
  pin: "M7.5 3h5l-.6 5 2.6 2.5v1.5h-9V10.5L8.1 8 7.5 3ZM10 12v5",
  trash: "M4 5.5h12M8 5.5V3.5h4v2M5.5 5.5l.7 11h7.6l.7-11M8.4 8.5v5M11.6 8.5v5",
  pencil: "M4 16l.8-3.4L13.2 4.2l2.6 2.6-8.4 8.4L4 16Z",
  branch: "M6 3.5v13M6 10.5c5 0 8-1.5 8-5M12 7.5l2-2 2 2",
  refresh: "M16 10a6 6 0 1 1-1.8-4.3M16 3v3.5h-3.5",
  attach: "M14.5 8.5 9 14a3 3 0 0 1-4.2-4.2l6-6a2 2 0 0 1 2.9 2.9l-6 6a1 1 0 0 1-1.5-1.4L11.5 6",
  download: "M10 3.5v9M6 9l4 4 4-4M4 16.5h12",
  undo: "M7.5 4 4 7.5 7.5 11M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8",
  more: "M5 9.2v1.6M10 9.2v1.6M15 9.2v1.6",
  key: "M7 8.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM9.2 9.4 16 4.5M13 6.8l1.8 2.4",
  lock: "M5.5 9h9v7.5h-9ZM7.5 9V6.5a2.5 2.5 0 0 1 5 0V9",
  file: "M5.5 3h6L15 6.5V17H5.5ZM11 3v4h4",
  folder: "M3 5h5l1.5 2H17v8.5H3Z",
  archive: "M3.5 4.5h13v3h-13ZM4.5 7.5v8h11v-8M8 10.5h4",
  image: "M3.5 4.5h13v11h-13ZM6 13.5l3-3.5 2.5 2.5 1.8-1.8 2.2 2.8M12.8 7.4v.2",
  terminal: "M3.5 4.5h13v11h-13ZM6 8l2 2-2 2M10 12.5h3.5",
  code: "M7 6 3 10l4 4M13 6l4 4-4 4",
  globe: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM3 10h14M10 3c2 2 3 4.3 3 7s-1 5-3 7c-2-2-3-4.3-3-7s1-5 3-7Z",
  spark: "M10 3l1.6 5.4L17 10l-5.4 1.6L10 17l-1.6-5.4L3 10l5.4-1.6L10 3Z",
  book: "M4 4.2c2.2-.6 4.2-.4 6 .8 1.8-1.2 3.8-1.4 6-.8v11c-2.2-.6-4.2-.4-6 .8-1.8-1.2-3.8-1.4-6-.8v-11ZM10 5v11",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: whatever it means is said in words as well. */
export function icon(name: IconName, size = 20): TemplateResult {
  return html`<svg class="icon" width=${size} height=${size} viewBox="0 0 20 20" aria-hidden="true">
    ${svg`<path d=${PATHS[name]} />`}
  </svg>`;
}

export function isIcon(name: string): name is IconName {
  return Object.hasOwn(PATHS, name);
}
