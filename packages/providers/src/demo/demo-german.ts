import type { Turn } from "@elwood/sdk/model-script/rule-model";
import type { Step } from "@elwood/sdk/model-script/steps";

/**
 * The demo model in German: whoever asks in German is answered in German. What it does is the same; only its words
 * are others. What a tool or the gateway said stays as it came.
 */

/** Words that no English request has. */
const GERMAN =
  /(?<!\p{L})(?:ich|mir|mein(?:e|en|em|er)?|dein(?:e|en)?|bitte|und|ist|sind|wie|wer|welche[rsn]?|kannst|verbinde|eine[nsm]?|echtes|datei(?:en)?|notiz(?:en)?|hallo|danke|hilfe|zeige?|schreibe?|merke?|notiere|sortiere|verschiebe|vergiss|frag|frage mich|räume?|führe?|öffne|lösche|durchsuche|wählen|tschüss|guten (?:morgen|tag|abend)|was (?:kannst|ist|sind|steht|weißt|liegt))(?!\p{L})/iu;
/** What is quoted, and names of files, may be in any language. */
const NAMED = /"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|„[^“]*“|\S*[./]\S+/g;

/** The language of a request shows at its beginning; looking further would take long for what nobody can read. */
const LOOKED_AT = 500;

export function isGerman({ said }: Pick<Turn, "said">): boolean {
  return GERMAN.test(said.slice(0, LOOKED_AT).replaceAll(NAMED, " "));
}

/** What is asked for, as the rules know it. */
const REQUESTS: readonly (readonly [request: RegExp, english: string])[] = [
  [/^was kannst du(?: alles)?(?: tun| machen)?$/, "what can you do"],
  [/^(?:hilfe|hilf mir)$/, "help"],
  [/^räume? (?:bitte )?(?:meinen |den )?demo-?ordner auf$/, "tidy my demo folder"],
  [/^(?:mache?|schreibe?|erstelle?) (?:mir )?eine demo-?liste$/, "make me a demo list"],
  [/^sortiere? (?:meine |die )?demo-?liste$/, "sort my demo list"],
  [/^was sind (?:belege|quittungen)$/, "what are receipts"],
  [/^(?:wie verbinde ich|verbinde) ein (?:echtes |anderes )?modell$/, "how do I connect a real model"],
  [/^(?:wer|was) bist du$/, "who are you"],
  [/^was ist elwood$/, "what is elwood"],
  [/^(?:hallo|moin|servus|guten (?:morgen|tag|abend))(?: elwood)?$/, "hello"],
  [/^(?:vielen )?danke?(?: schön| sehr)?$/, "thanks"],
  [/^(?:tschüss|auf wiedersehen|gute nacht)$/, "bye"],
];

/** The turn as the rules know it: a German request that has English words for it gets them. */
export function inEnglish(turn: Turn): Turn {
  if (turn.said.length > LOOKED_AT) return turn;
  const asked = turn.said
    .trim()
    .toLowerCase()
    .replace(/^(?:bitte|elwood)[\s,]+/, "")
    .replace(/(?:[\s,]+bitte)?[\s.!?]*$/, "");
  const [, english] = REQUESTS.find(([request]) => request.test(asked)) ?? [];
  return english === undefined ? turn : { ...turn, said: english, plain: english };
}

export const GERMAN_NOTICE = "Ich bin das Demo-Modell: ein Skript mit vorbereiteten Antworten, keine KI.";

const CONNECT =
  'Um mit einem echten Modell zu sprechen, verbinde eines: `elwood auth anthropic`, `elwood auth openai`, oder ein lokales wie `elwood -m ollama/qwen3 "hallo"`.';

/** Where no rule fits, or its answer is there in English alone. */
export const GERMAN_OTHERWISE = `Dafür habe ich keine vorbereitete Antwort. ${GERMAN_NOTICE} Ich brauche keinen Schlüssel, und nichts verlässt diese Maschine, wenn du mich nicht um eine Seite oder eine Suche bittest. Versuche „Was kannst du?“, „Welche Dateien sind hier?“ oder „Räume meinen Demo-Ordner auf“.\n\n${CONNECT}`;

/** By the name of the rule. */
export const GERMAN_ANSWERS: Readonly<Record<string, string>> = {
  help: `Ich kann dir sagen, was Elwood ist, was Belege sind, und wie du ein echtes Modell verbindest. Außerdem erledige ich einfache Dinge mit echten Werkzeugen. Sag zum Beispiel:\n\n- Welche Dateien sind hier?\n- Räume meinen Demo-Ordner auf\n- Mache eine Demo-Liste, dann: Sortiere meine Demo-Liste\n- Merke dir, dass mein Auto ein Volvo ist\n- Führe date aus\n- Frag mich etwas\n\nWas die Regeln dieser Maschine verlangen, wartet erst auf deine Antwort.\n\n${CONNECT}`,
  "tools, receipts":
    "Elwood hat Werkzeuge für Dateien, für Befehle, für das Web und für Fragen an dich; `elwood tools list` zeigt sie. Jeder Aufruf hinterlässt Belege: was verlangt wurde, wer es erlaubt hat, wann es begann und wie es endete. Sie sind verkettet, damit niemand einen unbemerkt ändert, und die Zeile unter jeder Antwort entsteht aus ihnen und nicht aus den Worten des Modells. `elwood receipts list` zeigt sie.\n\nUm welche zu sehen, sag „Welche Dateien sind hier?“.",
  "connect something":
    'So verbindest du ein Modell:\n\n- `elwood auth anthropic` oder `elwood auth openai` fragt nach einem Schlüssel, probiert ihn mit einer kleinen Anfrage und speichert ihn nur, wenn das klappt.\n- `elwood auth <name> --base-url http://…/v1` tut dasselbe für jeden Server, der wie OpenAI spricht.\n- Ein lokales Ollama braucht keinen Schlüssel: `elwood -m ollama/qwen3 "hallo"`.\n\n`elwood auth list` zeigt, was verbunden ist, und nie einen Schlüssel.',
  "who are you": `${GERMAN_NOTICE} Ich brauche keinen Schlüssel. Ich bin da, damit du siehst, wie Elwood arbeitet, bevor du ein Modell verbindest.\n\n${CONNECT}`,
  "what is Elwood":
    "Elwood ist ein persönlicher Assistent, den du selbst betreibst: ein Prozess und ein Ordner auf deiner eigenen Maschine. Welches Modell dahinter steht, bestimmst du. Es handelt nur durch Werkzeuge, fragt dich, bevor es etwas ändert, und unter jeder Antwort sagt das Gateway, nicht das Modell, was getan wurde. Was du gesendet hast, bleibt: Eine angenommene Nachricht übersteht einen Absturz, und eine Frage, die auf dich wartet, auch.",
  "hello again": "Hallo noch einmal. Frag mich etwas über Elwood, oder sag „Hilfe“.",
  hello: `Hallo. Frag mich, was Elwood ist, was ich kann, oder wie du ein Modell verbindest.\n\n${CONNECT}`,
  thanks: "Gern geschehen. Was möchtest du als Nächstes wissen?",
  goodbye: "Bis bald. Diese Sitzung bleibt: `elwood -c` macht darin weiter.",
};

/** The number of a call, as the gateway knows it. */
const C = String.raw`((?: \[c\d+\])*)`;

/** What is told of calls, in the order in which it is looked for. */
const SENTENCES: readonly (readonly [english: RegExp, german: string])[] = [
  [new RegExp(`That is done${C}\\. To take it back: `, "g"), "Das ist erledigt$1. Rückgängig machen: "],
  [new RegExp(`That is done${C}:`, "g"), "Das ist erledigt$1:"],
  [
    new RegExp(`I looked into the folder demo${C} and put one loose file away\\.`),
    "Ich habe in den Ordner demo gesehen$1 und eine lose Datei weggeräumt.",
  ],
  [
    new RegExp(`I looked into the folder demo${C}, read the list${C}, and put its lines in order\\.`),
    "Ich habe in den Ordner demo gesehen$1, die Liste gelesen$2 und ihre Zeilen sortiert.",
  ],
  [
    new RegExp(`I looked into the folder demo${C}\\. No file lies loose in it, so I changed nothing\\.`),
    "Ich habe in den Ordner demo gesehen$1. Darin liegt keine Datei lose; ich habe nichts geändert.",
  ],
  [new RegExp(`I looked into the folder${C}:`), "Ich habe in den Ordner gesehen$1:"],
  [
    new RegExp(`I looked${C}: there was no folder demo, so I made one with something in it\\.`),
    "Ich habe nachgesehen$1: Es gab keinen Ordner demo, also habe ich einen angelegt, mit etwas darin.",
  ],
  [/Say it again, and I will tidy it\./, "Sag es noch einmal, dann räume ich auf."],
  [
    new RegExp(`I read (\\S+?)${C}\\. Its lines are in order already, so I changed nothing\\.`),
    "Ich habe $1 gelesen$2. Die Zeilen sind schon sortiert; ich habe nichts geändert.",
  ],
  [
    /I did not sort (\S+): I cannot have all of it as it is\./,
    "Ich habe $1 nicht sortiert: Ich kann es nicht ganz lesen.",
  ],
  [new RegExp(`I read the page at that address${C}:`), "Ich habe die Seite unter dieser Adresse gelesen$1:"],
  [new RegExp(`I read (\\S+?)${C}\\. It says:`), "Ich habe $1 gelesen$2. Darin steht:"],
  [/I did not write to (\S+?)\. /, "Ich habe nichts in $1 geschrieben. "],
  [
    /I cannot have all of it as it is, and would lose something\./,
    "Ich kann es nicht ganz lesen und würde etwas verlieren.",
  ],
  [new RegExp(`I searched the web for “([^”]*)”${C}:`), "Ich habe im Web nach „$1“ gesucht$2:"],
  [new RegExp(`I searched for “([^”]*)”${C}:`), "Ich habe nach „$1“ gesucht$2:"],
  [new RegExp(`I searched my memory${C}\\. It holds:`), "Ich habe im Gedächtnis gesucht$1. Dort steht:"],
  [new RegExp(`Here is what lies in memory${C}:`), "Das liegt im Gedächtnis$1:"],
  [
    new RegExp(`I asked, and waited for you${C}\\. You answered: “([^”]*)”`),
    "Ich habe gefragt und auf dich gewartet$1. Du hast geantwortet: „$2“",
  ],
  [
    new RegExp(`The command((?: \`[^\`]*\`)?) ended with exit code 0${C}\\.`),
    "Der Befehl$1 endete mit Code 0$2.",
  ],
  [
    new RegExp(
      `The command((?: \`[^\`]*\`)?) ended with exit code (\\d+)${C}, which is how programs complain\\.`,
    ),
    "Der Befehl$1 endete mit Code $2$3; so melden Programme Fehler.",
  ],
  [new RegExp(`The command((?: \`[^\`]*\`)?) ended${C}\\.`), "Der Befehl$1 endete$2."],
  [/There was no output\./, "Er gab nichts aus."],
  [/Its output:/, "Seine Ausgabe:"],
  [new RegExp(`This is what the browser says${C}:`), "Das sagt der Browser$1:"],
  [/That was denied, so it was not done:/, "Das wurde abgelehnt und nicht getan:"],
  [/A rule refused that, so it was not done:/, "Eine Regel hat das verweigert; es wurde nicht getan:"],
  [
    /That had changed after you allowed it, so it was not done:/,
    "Das hatte sich nach deiner Erlaubnis geändert und wurde nicht getan:",
  ],
  [
    /That was not done; it waited for your answer until its time was over:/,
    "Das wurde nicht getan; es wartete auf deine Antwort, bis die Zeit um war:",
  ],
  [/That is not done; it still waits for you:/, "Das ist noch nicht getan; es wartet auf dich:"],
  [
    /I do not know whether that was done, and I will not try it again:/,
    "Ich weiß nicht, ob das getan wurde, und versuche es nicht noch einmal:",
  ],
  [
    /That call was not accepted, so nothing was done:/,
    "Dieser Aufruf wurde nicht angenommen; nichts wurde getan:",
  ],
  [/That did not work:/, "Das ging nicht:"],
  [new RegExp(`What went before it was done${C}\\.`), "Was davor kam, wurde getan$1."],
  [
    /I only repeat what Elwood found in its memory for your question:/,
    "Ich wiederhole nur, was Elwood zu deiner Frage im Gedächtnis fand:",
  ],
  [
    /I did nothing\. That takes (.+?), and I was not given (?:that tool|those tools) here\. `elwood tools list` shows what there is\./,
    "Ich habe nichts getan. Das braucht $1, und das habe ich hier nicht. `elwood tools list` zeigt, was es gibt.",
  ],
];

/** What it asks, and what can be chosen. */
const QUESTIONS: Readonly<Record<string, string>> = {
  "What shall I call you?": "Wie soll ich dich nennen?",
  "Which one?": "Welches?",
  Tea: "Tee",
  Coffee: "Kaffee",
  Neither: "Keines",
};

/** An answer that the rules gave, in German. */
export function germanSteps(steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => {
    if (step.type === "text") return { ...step, text: germanText(step.text) };
    if (step.type !== "toolCall" || !step.toolId.startsWith("owner.question.")) return step;
    const { question, options, ...rest } = step.input as { question: string; options?: readonly string[] };
    const told = (words: string) => QUESTIONS[words] ?? words;
    return {
      ...step,
      input: { ...rest, question: told(question), ...(options ? { options: options.map(told) } : {}) },
    };
  });
}

/** What stands in a block is somebody else's. */
function germanText(text: string): string {
  return text
    .split(/(^`{3,}text\n[^]*?\n`{3,}$)/m)
    .map((part) =>
      part.startsWith("```")
        ? part
        : SENTENCES.reduce((told, [english, german]) => told.replace(english, german), part),
    )
    .join("");
}
