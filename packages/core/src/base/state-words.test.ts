import { describe, expect, test } from "vitest";
import { APPROVAL_STATUSES } from "../policy/approval.ts";
import { MARKS } from "../grounding/reserved.ts";
import { RUN_STATUSES } from "../message/session.ts";
import {
  APPROVAL_WORDS,
  CALL_STATE_WORDS,
  CALL_WORDS,
  callWord,
  RISK_WORDS,
  RUN_WORDS,
  stateWord,
  TONES,
  type StateWord,
} from "./state-words.ts";
import { CALL_STATUSES, RISKS, STATUS_WORDS } from "../tool/tool.ts";

const ALL: readonly Readonly<Record<string, StateWord>>[] = [
  CALL_STATE_WORDS,
  RUN_WORDS,
  APPROVAL_WORDS,
  RISK_WORDS,
];

describe("the words for states", () => {
  test("there is one for every status of a call, a run and an approval, and for every risk", () => {
    expect(Object.keys(CALL_WORDS)).toEqual([...CALL_STATUSES]);
    expect(Object.keys(RUN_WORDS)).toEqual([...RUN_STATUSES]);
    expect(Object.keys(APPROVAL_WORDS)).toEqual([...APPROVAL_STATUSES]);
    expect(Object.keys(RISK_WORDS)).toEqual([...RISKS]);
  });

  test("the same word always comes with the same tone, glyph and icon", () => {
    const byWord = new Map<string, StateWord>();
    for (const state of ALL.flatMap((table) => Object.values(table))) {
      expect(byWord.get(state.word) ?? state).toEqual(state);
      byWord.set(state.word, state);
      expect(TONES).toContain(state.tone);
    }
  });

  test("receipts and evidence lines speak with these words and glyphs", () => {
    for (const status of CALL_STATUSES) {
      expect(STATUS_WORDS[status]).toBe(CALL_WORDS[status].word);
      expect(MARKS[status]).toBe(CALL_WORDS[status].glyph);
    }
  });

  test("a call whose program ended with another code than 0 is not called done, and no state but that is told by a code", () => {
    expect(callWord("succeeded")).toEqual(CALL_WORDS.succeeded);
    expect(callWord("succeeded", 0)).toEqual(CALL_WORDS.succeeded);
    expect(callWord("succeeded", 2)).toMatchObject({ word: "ended with code 2", tone: "warn" });
    expect(callWord("failed", 2)).toEqual(CALL_WORDS.failed);
  });

  test("what waits for a decision is called the same for calls, runs and approvals", () => {
    expect(CALL_WORDS.pending).toEqual(RUN_WORDS.waiting);
    expect(APPROVAL_WORDS.pending).toEqual(RUN_WORDS.waiting);
    expect(RUN_WORDS.waiting.word).toBe("waiting for you");
  });

  test("a state of a newer gateway is told as it is", () => {
    expect(stateWord(RUN_WORDS, "paused").word).toBe("paused");
    expect(stateWord(RUN_WORDS, "constructor").word).toBe("constructor");
    expect(stateWord(RUN_WORDS, "done")).toEqual(RUN_WORDS.done);
  });
});
