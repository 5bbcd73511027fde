/** Every bound of the browser tools, by name. Reaching one is said in words, never a hang. */
export interface BrowserLimits {
  readonly sessionsMax: number;
  /** A session unused for this long gives way where another one needs its place. */
  readonly sessionIdleMs: number;
  readonly pagesPerSessionMax: number;
  /** After this long without a call the browser is closed, and with it all pages. */
  readonly idleMs: number;
  /** How often idleness and memory are looked at. */
  readonly watchMs: number;
  /** Memory of the browser's own that all its processes may hold together. */
  readonly memoryBytesMax: number;
  readonly launchMs: number;
  readonly openMs: number;
  /** After the text of a page is there, its pictures and scripts get this long. */
  readonly loadMs: number;
  readonly lookMs: number;
  readonly actMs: number;
  /** After a click: how long a page may take to begin something. */
  readonly stirMs: number;
  readonly waitMsMax: number;
  readonly urlCharsMax: number;
  readonly targetCharsMax: number;
  readonly typedCharsMax: number;
  /** Text of one answer to the model. */
  readonly readCharsMax: number;
  readonly nameCharsMax: number;
  readonly candidatesMax: number;
  readonly treeNodesMax: number;
  /** Filled fields of one page that are looked at; what stands in more of them is not shown. */
  readonly filledFieldsMax: number;
  readonly screenshotBytesMax: number;
  readonly screenshotHeightMax: number;
  readonly notesMax: number;
  readonly noteCharsMax: number;
  readonly previewsKept: number;
  readonly waitingCallsMax: number;
  readonly downloadsHeldMax: number;
  /** Of all downloads that the browser holds. */
  readonly downloadBytesMax: number;
  readonly downloadWatchMs: number;
  readonly downloadMs: number;
  readonly callMs: number;
}

const MB = 1024 * 1024;

export const BROWSER_LIMITS: BrowserLimits = {
  sessionsMax: 4,
  sessionIdleMs: 2 * 60_000,
  pagesPerSessionMax: 6,
  idleMs: 10 * 60_000,
  watchMs: 15_000,
  memoryBytesMax: 2_000 * MB,
  launchMs: 30_000,
  openMs: 30_000,
  loadMs: 5_000,
  lookMs: 5_000,
  actMs: 10_000,
  stirMs: 200,
  waitMsMax: 30_000,
  urlCharsMax: 4_000,
  targetCharsMax: 300,
  typedCharsMax: 10_000,
  readCharsMax: 40_000,
  nameCharsMax: 120,
  candidatesMax: 8,
  treeNodesMax: 50_000,
  filledFieldsMax: 100,
  screenshotBytesMax: 4 * MB,
  screenshotHeightMax: 8_000,
  notesMax: 20,
  noteCharsMax: 300,
  previewsKept: 200,
  waitingCallsMax: 20,
  downloadsHeldMax: 4,
  downloadBytesMax: 100 * MB,
  downloadWatchMs: 250,
  downloadMs: 20_000,
  callMs: 60_000,
};
