/** Messages of an owner as varied as real ones, the same on every machine. */
export interface VariedMessage {
  readonly kind: MessageKind;
  readonly text: string;
}

export type MessageKind = "small talk" | "order" | "question" | "fact" | "note" | "lookup";

/** How often each kind comes, in a hundred. The last two make the model use a tool. */
const KINDS: readonly (readonly [MessageKind, number])[] = [
  ["small talk", 15],
  ["order", 30],
  ["question", 20],
  ["fact", 20],
  ["note", 8],
  ["lookup", 7],
];

const NAMES =
  list(`Anna Peter Maria Jonas Clara Otto Ines Bruno Lena Felix Greta Hugo Ida Karl Lotte Moritz Nora Paul Rosa Simon
  Tilda Ulrich Vera Walter Yara Zoe Marta Diego Pilar Kenji Aiko Tomas Elif Mehmet Olga Ivan Sofia Luca Giulia Marco`);
const THINGS =
  list(`bicycle kettle passport invoice greenhouse piano boiler router suitcase curtain freezer tripod ladder carpet
  scooter lantern printer keyboard mattress aquarium blender chimney compass drill easel fountain gutter hammock ironing-board jigsaw kayak
  lawnmower microscope notebook oven pergola quilt raincoat sofa telescope umbrella violin wardrobe xylophone yoghurt-maker zither
  mortgage contract ticket receipt recipe spreadsheet calendar slide photograph sketch poem speech letter translation budget forecast`);
const PLACES =
  list(`Lisbon Vienna Graz Porto Hamburg Bern Lyon Ghent Turin Malmo Krakow Split Cork Leeds Bergen Tartu Ostrava Bilbao
  Utrecht Basel Trieste Linz Aarhus Riga Sopron cellar attic garage kitchen hallway office garden balcony workshop`);
const QUALITIES =
  list(`blue green crimson broken borrowed second-hand noisy heavy fragile expensive antique waterproof rusty spare
  overdue unpaid cancelled signed printed half-finished forgotten polished tiny enormous wooden ceramic Danish Portuguese striped`);
const TASKS =
  list(`summarise translate compare shorten rewrite outline proofread estimate schedule sort label review plan draft
  simplify illustrate calculate annotate reorder archive`);
const LIKES =
  list(`tulips marzipan chess climbing jazz sailing pottery crosswords rioja saffron hazelnuts origami fencing karaoke
  gardening astronomy beekeeping opera skating cycling sushi lasagne rhubarb liquorice`);
const MONTHS = list("January February March April May June July August September October November December");
const TALK = [
  "hello",
  "thanks a lot",
  "ok",
  "great, thank you",
  "good morning",
  "yes please",
  "no, that is fine",
  "perfect",
  "sounds good",
  "go on",
];

/** The message that comes at a place of a long series; all but small talk differ from each other. */
export function variedMessage(at: number): VariedMessage {
  const random = seeded(at + 1);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)]!;
  const kind = kindOf(random() * 100);
  return { kind, text: kind === "small talk" ? pick(TALK) : SENTENCES[kind](pick, at) };
}

type Pick = (from: readonly string[]) => string;

const SENTENCES: Readonly<Record<Exclude<MessageKind, "small talk">, (pick: Pick, at: number) => string>> = {
  order: (pick, at) =>
    `Please ${pick(TASKS)} the ${pick(QUALITIES)} ${pick(THINGS)} from ${pick(PLACES)} for ${pick(NAMES)}, and keep it under ${20 + (at % 400)} words`,
  question: (pick, at) =>
    at % 2 === 0
      ? `Where did ${pick(NAMES)} leave the ${pick(QUALITIES)} ${pick(THINGS)} in ${pick(MONTHS)}?`
      : `How would you ${pick(TASKS)} a ${pick(THINGS)} that ${pick(NAMES)} saw in ${pick(PLACES)} on day ${at % 365}?`,
  fact: (pick, at) =>
    `${pick(NAMES)} moved the ${pick(QUALITIES)} ${pick(THINGS)} to ${pick(PLACES)} on ${1 + (at % 28)} ${pick(MONTHS)} because of ${pick(LIKES)}`,
  note: (pick, at) =>
    `Remember that ${pick(NAMES)} likes ${pick(LIKES)} and the number of the ${pick(THINGS)} is ${1_000 + at}`,
  lookup: (pick, at) => LOOKUPS[at % LOOKUPS.length]!(pick(NAMES), pick(THINGS), pick(PLACES)),
};

/** To memory the first and the last are orders that hold nothing to know; the others tell something of the owner, too. */
const LOOKUPS: readonly ((name: string, thing: string, place: string) => string)[] = [
  (name, thing, place) => `Look up what I told you of ${name} and the ${thing} in ${place}`,
  (name, thing, place) => `Look up when I lent ${name} the ${thing} from ${place}`,
  (name, thing, place) => `Look through our conversations for the ${thing} that ${name} saw in ${place}`,
  (name, thing, place) => `Look for the ${thing} from ${place} that ${name} asked about`,
];

function kindOf(place: number): MessageKind {
  let below = 0;
  for (const [kind, share] of KINDS) {
    below += share;
    if (place < below) return kind;
  }
  return "order";
}

function list(words: string): readonly string[] {
  return words.trim().split(/\s+/);
}

function seeded(seed: number): () => number {
  let state = Math.imul(seed, 0x9e37_79b1) >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
