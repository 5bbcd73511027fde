import { detectLocale, type Locale } from "./language.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import { lexiconOf } from "./lexicons.ts";
import type { Family } from "./tool-fit.ts";

/**
 * What the owner's words ask for. It decides how sentences without a first person are read:
 * after "pay the plumber" the sentence "the plumber was paid" tells a deed, after "why did
 * the script fail?" the sentence "the variable was deleted" explains.
 */
export interface Asked {
  readonly kind:
    | "deed"
    | "look"
    | "status"
    | "consent"
    | "content"
    | "fiction"
    | "question"
    | "other"
    | "unknown";
  readonly families: readonly Family[];
  readonly locale?: Locale;
  /** It asks what the assistant itself did, or how something of the owner's stands. */
  readonly ofYou?: boolean;
}

const OF_YOU =
  /(?<!\p{L})(?:did you|have you|hast du|haben sie|has \p{L}+[ai]do|\p{L}+[ai]ste|(?:tu|vous) (?:l')?(?:as|avez)|as-tu|avez-vous|(?:did|has|is|was) (?:my|our|it|that|the (?:deploy|build|backup|job|payment|transfer|order|e-?mail|message|server|site|upload|script|sync|migration|release|invoice|parcel|package|booking)\p{L}*)|ist (?:meine?|der|die|das) (?=\p{Lu})|wurde (?:meine?|die|der|das)|(?:está|ha|se) (?:mi|el|la)?)(?!\p{L})|了吗|了没|(?:ました|った|した|んだ)(?:か|の)?[？?]/iu;
/** The whole reply is then somebody's text in other words. */
const REWORD =
  /(?<!\p{L})(?:translat\p{L}*|rephrase|paraphrase|proofread|rewrite|reword|correct (?:this|my)|(?:fix|improve) (?:this|my|the) (?:sentence|text|wording|grammar)|übersetz\p{L}*|formulier\p{L}*|korrigier\p{L}* (?:diesen|den) (?:satz|text)|traduc\p{L}*|reformula\p{L}*|tradui\p{L}*|reformule\p{L}*)(?!\p{L})|翻译|润色|改写|翻訳|言い換え|添削/iu;
/** About the talk itself: what to be called, how long, in which tone. */
const MANNER =
  /(?<!\p{L})(?:call me (?!at|in|when|tomorrow|later|back|on)\p{L}+|nenn(?:e)? mich|llámame (?!a|mañana|cuando)\p{L}+|appelle-moi (?!à|demain|quand|dans)\p{L}+|tone|ton|tono|more formal|formeller|shorter|kürzer|más corto|plus court|keep it short|emojis?|stop using|bullet points)(?!\p{L})|^叫我[^点时钟起醒床]{1,6}$|と呼んで/iu;
/** Words asked for as a thing: a plan, a list, an opinion, a sum. */
const THING =
  /(?<!\p{L})(?:(?:make|create|give|do|build|prepare|set up|design|draw up|come up with)(?: me| us)?(?: an?| some| your)?(?: \p{L}+)? (?:plan|program|list|routine|table|recipe|feedback|opinion|advice|tips|ideas?|overview|summary|outline|examples?|quiz|story|poem|menu|itinerary|budget|name|slogan|logo idea|comparison)|(?:add|multiply|subtract|divide|convert) [\d.,]+|(?:pick|choose|guess|roll|flip) (?:an?|one|some)|(?:mach|erstell|gib|bau)e?(?: mir| uns)?(?: einen?| dein)?(?: \p{L}+)? (?:\p{L}*plan|liste|rezept|feedback|meinung|rat|tipps?|ideen?|überblick|beispiele?|menü|\p{L}*programm)|wähle? (?:eine?n?)|(?:haz|hazme|dame|crea|créame|prepara|prepárame)(?: un| una| tu)?(?: \p{L}+)? ?(?:plan|programa|lista|receta|opinión|consejos?|ideas?|resumen|ejemplos?|menú|rutina)|elige un\p{L}*|(?:fais|donne|crée|prépare)(?:-moi)?(?: un| une| ton| ta)?(?: \p{L}+)? ?(?:plan|programme|liste|recette|avis|conseils?|idées?|résumé|exemples?|menu)|choisis un\p{L}*)(?!\p{L})|(?:制定|做|列|写|给我)[^。]{0,8}(?:计划|清单|方案|食谱|建议|意见|例子|表格)|(?:計画|リスト|レシピ|献立|アイデア|案|例|意見|感想)[^。]{0,4}(?:作って|出して|考えて|教えて|聞かせて)/iu;
/** It is to be put somewhere, and so is a deed after all. */
const PLACE =
  /(?<!\p{L})(?:(?:in|to|on|into) (?:my|the|our)|calendar|file|notes|folder|kalender|datei|notizen|ordner|calendario|agenda|archivo|notas|carpeta|calendrier|fichier|dossier)(?!\p{L})|日历|文件|备忘|カレンダー|ファイル|メモ/iu;
const POLITE =
  /^[\s¿¡"(]*(?:(?:please|can you|could you|would you|i need you to|help me|hey|ok(?:ay)?|now|bitte|kannst du|könntest du|hilf mir|por favor|puedes|podrías|peux-tu|pouvez-vous|s'il te plaît|s'il vous plaît|请|帮我|能|你能)[\s,:]*)*/iu;
/** The owner wants something looked up that only a tool can see. */
const LOOK =
  /^[\s"(]*(?:(?:please|can you|could you|bitte|por favor)[\s,]+)?(?:check|look (?:up|at|in|into|for)|find|search|read|pull up|fetch|scan|go through|see if|verify|review|prüf\p{L}*|schau\p{L}*|such\p{L}*|lies|sieh|revisa|mira|busca|lee|comprueba|consulta|vérifie\p{L}*|regarde\p{L}*|cherche\p{L}*|lis|consulte\p{L}*)(?!\p{L}).{0,80}?(?<!\p{L})(?:my|our|inbox|calendar|e-?mails?|web|online|internet|weather|news|server|site|website|file|folder|repo|orders?|account|balance|flights?|meine?\p{L}?|kalender|postfach|netz|wetter|mi|mis|bandeja|agenda|tiempo|mon|ma|mes|boîte|agenda|météo|site)(?!\p{L})|^(?:请|帮我)?(?:查|看|搜|找).{0,20}(?:我的|邮箱|日历|天气|网|账户|快递)|(?:メール|予定|カレンダー|天気|ネット|残高|在庫).{0,12}(?:調べて|確認して|見て|探して|検索して|チェックして)/iu;
/** Questions about the world, not about what the assistant did. */
const WHY =
  /^[\s¿"(]*(?:why|how (?!did it go)|what(?! did you|'s the status| happened)|when|where|who|which|warum|wieso|wie|was(?! hast)|wann|wo|wer|por qué|cómo|qué(?! hiciste| has)|cuándo|dónde|quién|pourquoi|comment|quand|où|qui|quel\p{L}*)(?!\p{L})|^(?:为什么|怎么|什么是|なぜ|どうして|どうやって)/iu;

export function askedOf(ownerWords: string | undefined, hint?: Locale): Asked {
  if (ownerWords === undefined || ownerWords.trim() === "") return { kind: "unknown", families: [] };
  const text = ownerWords.slice(0, GROUNDING_LIMITS.ownerCharsMax).normalize("NFC").replaceAll("’", "'");
  const locale = detectLocale(text, hint);
  const lexicon = lexiconOf(locale);
  const unquoted = text.replace(/["“„«「][^"”“»」]{0,400}["”“»」]/gu, " ");
  if (lexicon.fiction.test(unquoted) || REWORD.test(unquoted) || MANNER.test(unquoted))
    return { kind: "fiction", families: [], locale };
  const families = lexicon.asked(unquoted);
  const why = WHY.test(unquoted);
  const lead = lexicon.content.exec(unquoted.replace(POLITE, ""));
  const kind = lexicon.consent.test(text)
    ? "consent"
    : lead?.index === 0 || (THING.test(unquoted) && !PLACE.test(unquoted))
      ? "content"
      : families
        ? "deed"
        : LOOK.test(unquoted)
          ? "look"
          : lexicon.status.test(unquoted) && !why
            ? "status"
            : /[?？]/u.test(text)
              ? "question"
              : "other";
  return { kind, families: families ?? [], locale, ofYou: OF_YOU.test(unquoted) };
}
