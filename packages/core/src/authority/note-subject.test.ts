import { describe, expect, test } from "vitest";
import { authorise } from "./authority.ts";

const SAVE = {
  id: "memory.note.save",
  risk: "write" as const,
  canUndo: true,
  input: {},
  labels: {
    egress: "none",
    output: "trusted",
    critical: [],
    ids: {},
    content: ["content"],
    time: [],
    sensitive: false,
  } as const,
};

/** Whether Elwood writes a line into a note unasked after what the owner typed. */
function isSavedUnasked(typed: string, key: string, content: string): boolean {
  return authorise(SAVE, { key, content }, { typed: [typed], seen: [] }).authorised;
}

describe("a line is written unasked into the note of whom the owner said it of", () => {
  test.each([
    ["Remember that Martin hates olives", "martin", "- hates olives"],
    ["Remember that Martin hates olives", "martin", "- Martin hates olives"],
    ["Remember that Martin hates olives", "martin", "Martin: hates olives"],
    ["remember that martin hates olives", "martin", "- Hates olives"],
    [
      "Remember that Martin sings in the choir and hates olives",
      "martin",
      "- sings in the choir\n- hates olives",
    ],
    [
      "Remember that Martin sings in the choir and hates olives",
      "martin",
      "- sings in the choir and hates olives",
    ],
    ["remember that martin sings in the choir and hates olives", "martin", "- hates olives"],
    [
      "Remember that Martin sings in the choir, plays chess and hates olives",
      "martin",
      "- plays chess\n- hates olives",
    ],
    ["Remember that Martin likes tea, coffee and cake and hates olives", "martin", "- hates olives"],
    ["Remember that Martin sings in the choir and also hates olives", "martin", "- hates olives"],
    ["Remember that Martin is tall and is allergic to nuts", "martin", "- allergic to nuts"],
    ["Remember that Martin is tall and will move to Bonn", "martin", "- will move to Bonn"],
    [
      "Remember that Martin, who hates olives, sings in the choir",
      "martin",
      "- hates olives\n- sings in the choir",
    ],
    [
      "Remember about Martin: hates olives, sings in the choir",
      "martin",
      "- hates olives\n- sings in the choir",
    ],
    ["Remember about Martin:\n- hates olives\n- sings in the choir", "martin", "- hates olives"],
    ["Remember that Martin Huber hates olives", "martin", "- hates olives"],
    ["Remember that Martin Huber hates olives", "martin-huber", "- hates olives"],
    ["Remember that my sister Clara is allergic to hazelnuts", "clara", "- allergic to hazelnuts"],
    ["Remember that my sister Clara sings and is allergic to hazelnuts", "clara", "- allergic to hazelnuts"],
    ["Remember that my old friend Martin hates olives", "martin", "- hates olives"],
    ["Remember that Martin's birthday is on 12 June", "martin", "- Birthday: 12 June"],
    ["Remember that Martin's allergic to nuts", "martin", "- allergic to nuts"],
    ["Remember that Martin is my boss", "martin", "- is my boss"],
    ["Remember that Martin is my boss", "martin", "- my boss"],
    ["Remember that Peter moved out and Martin moved in", "martin", "- moved in"],
    ["Remember that Inès hates olives", "ines", "- hates olives"],
    ["Remember that Martin, my brother, hates olives", "martin", "- my brother\n- hates olives"],
    ["Remember that on Tuesdays Martin plays chess and has dinner at home", "martin", "- has dinner at home"],
    ["Remember that olives are off limits for Martin", "martin", "- olives are off limits"],
  ])("%s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(true);
  });

  test.each([
    ["Remember that Martin sings in the choir, and he hates olives", "martin", "- hates olives"],
    ["Remember that Martin moved to Bonn. He hates olives", "martin", "- hates olives"],
    ["Remember that when Martin visits he sleeps on the sofa", "martin", "- sleeps on the sofa"],
    ["Remember that Martin moved to Bonn. He hates olives", "martin", "- Martin hates olives"],
    ["Remember that Martin moved to Bonn. He hates olives", "martin", "- He hates olives"],
    ["remember that martin moved to bonn. he hates olives", "martin", "- hates olives"],
    ["Remember this: I met Martin yesterday. He hates olives", "martin", "- hates olives"],
    ["Remember that my neighbour is called Martin. He hates olives", "martin", "- hates olives"],
    [
      "Remember that Anna's birthday is on 12 June, that she loves tulips, and that my shoe size is 43",
      "anna",
      "- Birthday: 12 June\n- Loves tulips",
    ],
    [
      "Remember that Anna's birthday is on 12 June, that she loves tulips, and that my shoe size is 43",
      "anna",
      "- Anna likes tulips",
    ],
    [
      "Remember that Anna's birthday is on 12 June, that she loves tulips, and that my shoe size is 43",
      "owner",
      "- Shoe size: 43",
    ],
  ])("by a pronoun: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(true);
  });

  test.each([
    ["Remember that Martin and Peter hate olives", "martin", "- hates olives"],
    ["Remember that Martin and Peter hate olives", "peter", "- hates olives"],
    ["Remember that Martin and Peter hate olives", "martin", "- Martin hates olives"],
    ["Remember that Martin and Peter hate olives", "martin", "- hate olives"],
    ["remember that martin, ines and peter like olives", "ines", "- likes olives"],
    ["Remember that Martin, Ines and Peter hate olives", "martin", "- hates olives"],
    ["Remember that Martin and Ines sing in the choir and hate olives", "martin", "- hate olives"],
    ["Merk dir: Martin und Peter hassen Oliven", "martin", "- hasst Oliven"],
    ["Retiens que Martin et Pierre détestent les olives", "martin", "- déteste les olives"],
    ["Recuerda que Martin y Pedro odian las aceitunas", "martin", "- odia las aceitunas"],
  ])("in a list: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(true);
  });

  test.each([
    ["Remember that I hate olives", "me", "- I hate olives"],
    ["Remember that I hate olives", "me", "- hate olives"],
    ["Remember that I hate olives", "profile", "- hate olives"],
    ["Remember that I hate olives", "preferences", "I hate olives"],
    ["Remember that I hate olives", "olives", "- I hate olives"],
    ["Remember that I like olives", "preferences", "- Likes olives"],
    ["Remember: I sing in the choir and hate olives", "me", "- I hate olives"],
    ["Remember that Martin sings and I hate olives", "me", "- I hate olives"],
    ["Remember that my car is a red Volvo", "car", "- red Volvo"],
    ["Remember that my car is red and needs new tyres", "car", "- needs new tyres"],
    ["Remember that my car is a Volvo", "garage", "- Car: Volvo"],
    ["Remember that my sister Anna was born in 1990", "family", "- Anna: born 1990"],
    ["Recuerda que odio las aceitunas", "preferencias", "- Yo odio las aceitunas"],
  ])("of the owner and theirs: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(true);
  });

  test.each([
    ["Remember that Martin sings in the choir and Peter hates olives", "martin", "- Peter hates olives"],
    ["Remember that Martin sings in the choir and Peter hates olives", "peter", "- hates olives"],
    ["Remember that Martin sings in the choir and Peter hates olives", "food", "- Peter hates olives"],
    ["remember that martin sings in the choir and peter hates olives", "food", "- peter hates olives"],
    ["remember that martin sings in the choir and peter hates olives", "peter", "- hates olives"],
    ["Remember that Ines snores. Martin sings. Peter hates olives", "ines", "- Peter hates olives"],
    ["Remember that my friend Peter hates olives", "food", "- Peter hates olives"],
    ["Remember that Martin sings and my car is red", "food", "- car is red"],
    ["Remember that the boiler is old and the car is red", "things", "- the car is red"],
    [
      "Remember that trash pickup is on Tuesdays and recycling is on Fridays",
      "household",
      "- recycling: on Fridays",
    ],
    ["Remember that Anna told me that the key is under the mat", "house", "- key is under the mat"],
    ["Remember that Martin said: I hate olives", "martin", "- Martin said: I hate olives"],
  ])("with the name in it, wherever: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(true);
  });

  test("under a heading or a label that names them", () => {
    const typed = "Remember that Martin sings in the choir and Peter hates olives";
    expect(
      isSavedUnasked(typed, "friends", "## Martin\n- sings in the choir\n## Peter\n- hates olives"),
    ).toBe(true);
    expect(
      isSavedUnasked(typed, "friends", "## Peter\n- sings in the choir\n## Martin\n- hates olives"),
    ).toBe(false);
    expect(isSavedUnasked(typed, "peter", "**Martin:**\n- hates olives")).toBe(false);
  });

  test.each([
    ["Merk dir: Martin singt im Chor und hasst Oliven", "martin", "- hasst Oliven"],
    ["Merk dir: Martin singt im Chor, spielt Schach und hasst Oliven", "martin", "- hasst Oliven"],
    ["Merk dir: Martin singt im Chor, und er hasst Oliven", "martin", "- hasst Oliven"],
    ["Merk dir: Martin ist nach Bonn gezogen. Er hasst Oliven", "martin", "- hasst Oliven"],
    ["Merk dir: Mülltonne kommt immer donnerstags", "müll", "Mülltonne kommt immer donnerstags"],
    ["Merk dir, dass mein Auto ein Volvo ist", "auto", "Auto: Volvo"],
    ["Merk dir: Jürgen hasst Oliven", "juergen", "- hasst Oliven"],
    ["Retiens que Martin chante dans le chœur et déteste les olives", "martin", "- déteste les olives"],
    ["Retiens que Martin chante, et il déteste les olives", "martin", "- déteste les olives"],
    ["Retiens que Paul est végétarien", "paul", "Paul est végétarien"],
    ["Recuerda que Martin canta en el coro y odia las aceitunas", "martin", "- odia las aceitunas"],
    ["Recuerda que Martin canta en el coro y que odia las aceitunas", "martin", "- odia las aceitunas"],
    ["Recuerda que Martin se mudó a Bonn. Él odia las aceitunas", "martin", "- odia las aceitunas"],
    ["Apunta que la llave la tiene Lena", "llave", "- la tiene Lena"],
    ["记住马丁讨厌橄榄", "马丁", "- 讨厌橄榄"],
    ["记住马丁会唱歌，他讨厌橄榄", "马丁", "- 讨厌橄榄"],
  ])("in other languages: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(true);
  });
});

describe("a line asks before it is written into the note of somebody else", () => {
  test.each([
    ["Remember that Martin sings in the choir and Peter hates olives", "martin", "- hates olives"],
    ["Remember that Martin sings in the choir and Peter hates olives", "martin", "- Martin hates olives"],
    ["Remember that Martin sings in the choir and Peter hates olives", "martin", "- Martin: hates olives"],
    [
      "Remember that Martin sings in the choir and Peter hates olives",
      "martin",
      "- sings in the choir\n- hates olives",
    ],
    ["Remember that Martin sings in the choir and Peter hates olives", "choir", "- hates olives"],
    ["Remember that Martin sings in the choir and Peter hates olives", "food", "- hates olives"],
    ["remember that martin sings in the choir and peter hates olives", "martin", "- hates olives"],
    [
      "remember that martin sings in the choir, peter plays chess and hates olives",
      "martin",
      "- hates olives",
    ],
    ["Remember that Martin sings in the choir and hates olives", "peter", "- hates olives"],
    ["Remember that Martin sings in the choir but Peter hates olives", "martin", "- hates olives"],
    ["Remember that Martin leaves because Peter hates olives", "martin", "- hates olives"],
    ["Remember that Martin sings. Peter hates olives", "martin", "- hates olives"],
    ["remember that martin sings. peter hates olives", "martin", "- hates olives"],
    ["Remember that Martin sings. Mia hates olives", "martin", "- hates olives"],
    ["Remember that Peter hates olives. Martin sings", "martin", "- hates olives"],
    ["Remember that Martin sings and the dog hates olives", "martin", "- hates olives"],
    ["Remember that Martin sings and my sister hates olives", "martin", "- hates olives"],
    ["Remember that Martin and Ines sing, Peter hates olives", "martin", "- hates olives"],
    ["Remember that Martin and Ines sing, Peter hates olives", "ines", "- hates olives"],
    ["Remember that Martin and Ines sing and Peter hates olives", "martin", "- hates olives"],
    ["Remember that as for Martin, Peter hates olives", "martin", "- hates olives"],
    ["Remember that Martin sings and Peter loves Rioja", "martin", "- Rioja"],
    ["Remember: Martin: Rome, Peter: Oslo", "martin", "- Oslo"],
    ["Remember: Martin - Rome, Peter - Oslo", "martin", "- Oslo"],
    ["Remember that Peter (father of Martin) hates olives", "martin", "- hates olives"],
    ["Remember what Martin said about Peter: hates olives", "martin", "- hates olives"],
  ])("%s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(false);
  });

  test.each([
    ["Remember that Martin's sister hates olives", "martin", "- hates olives"],
    ["Remember that Martin's sister hates olives", "martin", "- Martin hates olives"],
    ["Remember that Martin's sister sings. She hates olives", "martin", "- hates olives"],
    ["Remember that the sister of Martin hates olives", "martin", "- hates olives"],
    ["Remember that the sister of Martin hates olives", "martin", "- Martin hates olives"],
    ["Merk dir: Martins Schwester hasst Oliven", "martin", "- hasst Oliven"],
    ["Merk dir: Die Schwester von Martin hasst Oliven", "martin", "- hasst Oliven"],
    ["Retiens que la sœur de Martin déteste les olives", "martin", "- déteste les olives"],
    ["Recuerda que la hermana de Martin odia las aceitunas", "martin", "- Martin odia las aceitunas"],
  ])("where it is of what they have: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(false);
  });

  test.each([
    ["Remember that Martin met Peter, and he hates olives", "martin", "- hates olives"],
    ["Remember that Peter met Martin. He hates olives", "martin", "- hates olives"],
    ["remember that peter met martin. he hates olives", "martin", "- hates olives"],
    ["Remember that Martin moved to Bonn. Peter stayed. He hates olives", "martin", "- hates olives"],
    ["Remember that Martin has a dog. It hates cats", "martin", "- hates cats"],
    ["Merk dir: Martin kennt Peter, und der ist krank", "martin", "- krank"],
    ["Recuerda que Martin conoce a Pedro, que odia las aceitunas", "martin", "- odia las aceitunas"],
    ["Remember that Peter likes Martin and hates olives", "martin", "- Martin hates olives"],
    ["Remember that Peter likes Martin and hates olives", "food", "- Martin hates olives"],
    ["Remember that he hates olives. Martin sings", "martin", "- hates olives"],
    ["Remember that Martin knows Peter, who hates olives", "martin", "- hates olives"],
    ["Remember that Peter likes Martin and hates olives", "martin", "- hates olives"],
    ["remember that peter likes martin and hates olives", "martin", "- hates olives"],
  ])("where it may be said of another: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(false);
  });

  test.each([
    ["Remember that Martin sings and I hate olives", "martin", "- hate olives"],
    ["Remember that Anna loves tulips and that my shoe size is 43", "anna", "- Shoe size: 43"],
    ["Remember that I am allergic to nuts and Anna loves tulips", "anna", "- allergic to nuts"],
    ["Remember that I love tulips and Anna is allergic to nuts", "me", "- allergic to nuts"],
    ["remember that i love tulips and anna is allergic to nuts", "me", "- allergic to nuts"],
    ["Remember that my sister is allergic to nuts", "health", "- allergic to nuts"],
    ["Remember that my sister sings and is allergic to nuts", "health", "- allergic to nuts"],
    ["Remember that Martin and Peter hate olives", "preferences", "- I hate olives"],
    ["Remember that Peter's car is red", "car", "- My car: red"],
    // Whoever is quoted says “I” of themselves, and what they say is theirs to be right about.
    ["Remember that Martin said: I hate olives", "martin", "- hate olives"],
    ["Remember that Martin said: I hate olives", "martin", "- I hate olives"],
    ["Remember that Martin said: I hate olives", "preferences", "- I hate olives"],
    ["Remember that Martin said: “I hate olives”", "me", "- hate olives"],
    ["remember that martin said: i hate olives", "me", "- i hate olives"],
    ["Remember that Martin said: I hate olives", "martin", "- hates olives"],
  ])("between the owner and others: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(false);
  });

  test.each([
    ["Remember that Martin does not like olives", "martin", "- likes olives"],
    ["Remember that Martin doesn't like olives", "martin", "- likes olives"],
    ["Remember that Martin and Peter do not like olives", "martin", "- likes olives"],
    ["Merk dir: Martin mag keine Oliven", "martin", "- mag Oliven"],
    ["Retiens que Martin n'aime pas les olives", "martin", "- aime les olives"],
    ["Recuerda que a Martin no le gustan las aceitunas", "martin", "- le gustan las aceitunas"],
  ])("without a “not”: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(false);
  });

  test.each([
    ["Merk dir: Martin singt im Chor und Peter hasst Oliven", "martin", "- hasst Oliven"],
    ["merk dir: martin singt im chor und peter hasst oliven", "martin", "- hasst Oliven"],
    ["Merk dir: Martin singt im Chor, und ich hasse Oliven", "martin", "- hasse Oliven"],
    ["Merk dir: Martin singt. Peter hasst Oliven", "martin", "- hasst Oliven"],
    ["Retiens que Martin chante et Pierre déteste les olives", "martin", "- déteste les olives"],
    ["Retiens que Martin chante et j'aime les olives", "martin", "- aime les olives"],
    ["retiens que martin chante et que pierre déteste les olives", "martin", "- déteste les olives"],
    ["Recuerda que Martin canta y Pedro odia las aceitunas", "martin", "- odia las aceitunas"],
    ["Recuerda que Martin canta y que Pedro odia las aceitunas", "martin", "- Martin odia las aceitunas"],
    ["记住马丁会唱歌，彼得讨厌橄榄", "马丁", "- 讨厌橄榄"],
  ])("in other languages: %s → %s: %s", (typed, key, content) => {
    expect(isSavedUnasked(typed, key, content)).toBe(false);
  });
});

describe("what is too much to be compared", () => {
  const often = (sentence: string, times: number) => `${sentence} `.repeat(times);

  test("a line is found in a long message, wherever it stands", () => {
    const talk = often("The weather goes on and on, as it does.", 3_000);
    expect(isSavedUnasked(`Remember this. ${talk}Martin hates olives.`, "martin", "- hates olives")).toBe(
      true,
    );
    expect(isSavedUnasked(`Remember this. ${talk}Martin sings.`, "martin", "- sings")).toBe(true);
    expect(
      isSavedUnasked(`Remember this. ${talk}Peter hates olives.`, "martin", "- Martin hates olives"),
    ).toBe(false);
  });

  test("a line asks that is only said behind very much else with its last word", () => {
    const said = "Martin hates olives.";
    const others = (times: number) => often("Remember that olives grow.", times);
    expect(isSavedUnasked(`${others(1_000)}${said}`, "martin", "- hates olives")).toBe(true);
    expect(isSavedUnasked(`${others(4_000)}${said}`, "martin", "- hates olives")).toBe(false);
  });

  test("a note of very many lines asks", () => {
    const lines = (times: number) => often("- hates olives\n", times);
    const said = "Remember that Martin hates olives";
    expect(isSavedUnasked(said, "martin", lines(200))).toBe(true);
    expect(isSavedUnasked(said, "martin", lines(201))).toBe(false);
  });

  test("asks because it is too much, and not because of its words", () => {
    const ruleOf = (typed: string, key: string, content: string) => {
      const decided = authorise(SAVE, { key, content }, { typed: [typed], seen: [] });
      return decided.authorised ? "" : decided.rule;
    };
    const lines = (times: number) => often("- hates olives\n", times);
    expect(ruleOf("Remember that Martin hates olives", "martin", lines(201))).toBe("authority.content");
    expect(ruleOf("Remember that Martin hates olives", "martin", "- hates tea")).toBe("authority.no-target");
    // Every sentence looks as if it named him.
    const alike = often("Remember that Alva hates olives, at all.", 50_000);
    expect(ruleOf(alike, "al", "- hates olives")).toBe("authority.content");
  });
});
