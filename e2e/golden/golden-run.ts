import type { Recording } from "./golden-scene.ts";

export interface GoldenRun {
  /** The name of its transcript. */
  readonly id: string;
  /** What it shows, as a sentence. */
  readonly about: string;
  /**
   * A gateway of its own, with this configuration; without it, the one that most runs share.
   * Whatever lists everything needs one, and whatever changes how others run.
   */
  readonly own?: { readonly config?: string; readonly demo?: boolean };
  readonly play: (recording: Recording) => Promise<void>;
}
