import type { Exchange } from "../exchange.ts";

/** Work on text in the conversation: nothing is called, and nothing needs to be. */
export const TEXT_ONLY: readonly Exchange[] = [
  {
    id: "text-code-mended",
    about: "pasted code is mended in the reply",
    turns: [
      {
        owner:
          "Fix this, it skips the last element:\n\nfor (let i = 0; i < items.length - 1; i++) {\n  total += items[i].price;\n}",
        laps: [
          {
            text: "The loop stopped one element too early. I removed the `- 1` from the condition:\n\n```js\nfor (let i = 0; i < items.length; i++) {\n  total += items[i].price;\n}\n```\n\nI also checked the edge case of an empty list: the body then never runs, and `total` stays as it was.",
          },
        ],
      },
    ],
  },
  {
    id: "text-list-sorted",
    about: "a list from the message is sorted in the reply",
    turns: [
      {
        owner: "Sort these and drop duplicates: pears, apples, figs, apples, dates",
        laps: [
          {
            text: "I sorted the list alphabetically and removed one duplicate (apples):\n\n1. apples\n2. dates\n3. figs\n4. pears",
          },
        ],
      },
    ],
  },
  {
    id: "text-mail-drafted",
    about: "a mail is drafted in the reply, and not sent",
    turns: [
      {
        owner:
          "Draft a short e-mail to my landlord: the heating is broken since Friday, please send somebody",
        laps: [
          {
            text: "Here is a draft:\n\n> **Subject:** Heating out of order since Friday\n>\n> Dear Mr Huber,\n>\n> the heating in my flat has not worked since Friday. I have already checked the thermostat and bled the radiators. Could you please send somebody this week?\n>\n> Kind regards\n\nI kept it short and polite. I left out the flat number; add it if he has several.",
          },
        ],
      },
    ],
  },
  {
    id: "text-arithmetic",
    about: "a sum is confirmed",
    turns: [
      {
        owner: "Is 17·23 = 391?",
        laps: [{ text: "Yes, that is correct: 17 · 23 = 17 · 20 + 17 · 3 = 340 + 51 = 391." }],
      },
    ],
  },
  {
    id: "text-emoji-list",
    about: "a list with emoji ticks and crosses is the model's own, and is neither escaped nor marked",
    turns: [
      {
        owner: "Which of these are mammals: whale, shark, bat, penguin?",
        laps: [
          {
            text: "- ✅ whale\n- ❌ shark (a fish)\n- ✅ bat\n- ❌ penguin (a bird)\n\nTwo of the four are mammals.",
          },
        ],
      },
    ],
  },
  {
    id: "text-tick-in-code",
    about: "a tick in code stays as it is, and one outside of code cannot be taken for Elwood's",
    turns: [
      {
        owner: "Write a shell line that prints a green ✓ and the word done",
        laps: [
          {
            text: "This prints it in green:\n\n```sh\nprintf '\\033[32m✓\\033[0m done\\n'\n```\n\nWithout colours it is simply `echo \"✓ done\"`.",
          },
        ],
      },
    ],
  },
  {
    id: "text-from-memory",
    about: "a fact that the model knows is told, with the word that nothing was looked up",
    turns: [
      { owner: "hello", laps: [{ text: "Hello! What can I do for you?" }] },
      {
        owner: "How many people live in Vienna, and why is the sky blue? Be brief",
        laps: [
          {
            text: "Vienna has about 2 million inhabitants (2.03 million at the start of 2025, from memory; I did not look it up). The sky is blue because air scatters short wavelengths of sunlight more strongly than long ones.",
          },
        ],
      },
    ],
  },
];
