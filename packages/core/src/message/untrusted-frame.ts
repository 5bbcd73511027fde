/**
 * What a tool read somewhere is told to the model between two marks that carry a number which
 * stands nowhere in the text, so that no text can close its frame; the system prompt says once
 * what the marks mean. Words that some model's chat format gives a meaning to are changed so that
 * they can be read and mean nothing. It makes instructions in such text plain as somebody else's;
 * it does not make a model ignore them, and no rule of the policy rests on it.
 */

/** Numbers to choose from, the short ones first: every model reads them again in each request. */
const NUMBER_CHARS = [4, 8, 16] as const;

/** `secret` are hexadecimal digits that were made after the text was read. */
export function frameUntrusted(text: string, secret: string): string {
  const inner = neutralised(text);
  const number = numberOutside(inner, secret);
  // Where it holds every number there is to choose, it was made for that, and loses them.
  const safe = number === secret ? inner.replaceAll(new RegExp(secret, "gi"), "⟨number⟩") : inner;
  return `[untrusted ${number}]\n${safe}\n[end ${number}]`;
}

function numberOutside(text: string, secret: string): string {
  const lower = text.toLowerCase();
  for (const chars of NUMBER_CHARS)
    for (let at = 0; at + chars <= secret.length; at += chars) {
      const number = secret.slice(at, at + chars);
      if (!lower.includes(number)) return number;
    }
  return secret;
}

/** What stands in a frame, and after it; text without a frame as it is. */
export function unframed(text: string): string {
  const { inner, after } = frameParts(text);
  return `${inner}${after}`;
}

export interface FrameParts {
  /** The line that opens the frame, and the one that closes it; empty where there is no frame. */
  readonly opening: string;
  readonly inner: string;
  readonly closing: string;
  readonly after: string;
}

export function frameParts(text: string): FrameParts {
  const whole = { opening: "", inner: text, closing: "", after: "" };
  const opening = OPENINGS.map((each) => each.exec(text)).find((match) => match !== null);
  if (opening === undefined) return whole;
  const [line, number = ""] = opening;
  const closing = line.startsWith("[untrusted ")
    ? `\n[end ${number}]`
    : `\n[End of untrusted text ${number}]`;
  const at = text.lastIndexOf(closing);
  if (at === -1) return whole;
  return {
    opening: line,
    inner: text.slice(line.length, at),
    closing,
    after: text.slice(at + closing.length),
  };
}

/** Frames as they are written, and as they were in conversations of earlier versions. */
const OPENINGS = [
  /^\[untrusted ([0-9a-f]{4,64})\]\n/,
  /^\[Untrusted text ([0-9a-f]{8,64}) from [^\n]*\]\n/,
] as const;

/** Words with a meaning in the format of some model, or of Elwood itself; each becomes `⟨word⟩`. */
const MEANINGFUL: readonly (readonly [RegExp, string])[] = [
  // ChatML, Llama 3, Phi, Qwen and others; DeepSeek writes them with wide bars.
  [/<[|｜] {0,2}(\/?[\p{L}\p{N}_▁ -]{1,40}?)[|｜]>/gu, "⟨$1⟩"],
  [/\[(\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS))\]/gi, "⟨$1⟩"],
  [/<<(\/?SYS)>>/gi, "⟨$1⟩"],
  [/<(\/?(?:start_of_turn|end_of_turn|bos|eos))>/gi, "⟨$1⟩"],
  [
    /<(\/?(?:antml:\w{1,30}|function_calls|function_results|invoke|tool_calls?|tool_response|tool_result|tool_use|system-reminder))(\s[^<>]{0,200})?>/gi,
    "⟨$1$2⟩",
  ],
  [/^([ \t]*)(Human|Assistant|System)(?=:)/gim, "$1⟨$2⟩"],
  [/\[(?=\s*(?:end of )?untrusted text\b)/gi, "⟨"],
  [/\[(?=\s*(?:end|untrusted)\s{1,9}[0-9a-f]{2,64}\s*\])/gi, "⟨"],
  [/\[(?=c\d{1,6} [a-z][\w-]*\.[a-z])/gi, "⟨"],
  [/^(Activity of this run|Also on record)(?=, from)/gm, "⟨$1⟩"],
  // Letters that are drawn nowhere and that a model reads all the same.
  [/[\u{E0000}-\u{E007F}]+/gu, "⟨hidden text⟩"],
];

export function neutralised(text: string): string {
  let plain = text;
  for (const [pattern, shown] of MEANINGFUL) plain = plain.replace(pattern, shown);
  return plain;
}
