export const BY_NOW =
  /(?<!\p{L})(?:already|by now|bereits|schon|inzwischen|mittlerweile|déjà|ya|già|ormai|já|inmiddels|reeds|już|zaten)(?!\p{L})|已经|已經|すでに|既に|もう|이미|벌써/iu;

/** A box that is not ticked. */
export const TO_DO = /^\s{0,8}(?:[-*+]|\d{1,3}[.)])\s+\[ \]\s/u;

/** Words that somebody else fills in: "We've sent it to {{email}}." */
export const PLACEHOLDER = /\{\{\s?[\p{L}_][^{}\n]{0,40}\}\}/u;

/** "According to what you pasted, the bank answered: …" */
export const FROM_OWNER =
  /what you (?:pasted|wrote|sent|shared|said|told)|(?:laut|nach) dem,? was du (?:geschickt|geschrieben|eingefügt|gesagt)|ce que (?:tu (?:as|m'as)|vous (?:avez|m'avez)) (?:coll|écri|envoy|dit|partag)|lo que (?:pegaste|escribiste|enviaste|compartiste|dijiste|me (?:pasaste|mandaste))|quello che hai (?:incollato|scritto|mandato|detto)|o que (?:você )?(?:colou|escreveu|enviou|disse|mandou)|wat je (?:plakte|schreef|stuurde|deelde|zei)|tego,? co (?:wkleił|napisał|wysłał|podał)|(?:贴|发|粘贴)的(?:内容|文字|文本)|貼(?:って|り)|붙여 ?넣|yapıştırdığın|gönderdiğin/iu;

/** A request for something to enjoy: whoever speaks in it is not the assistant. */
export const MADE_UP =
  /(?<!\p{L})(?:joke|riddle|poem|rhyme|song|(?:lines|sentences) about|sätze über|phrases sur|frases sobre|frasi su|zinnen over|zdania o|meningar om|věty o|limerick|haiku|lyrics|fairy ?tale|(?:short|bedtime) stor|witz|rätsel|gedicht|geschichte|märchen|blague|devinette|poème|conte(?!\p{L})|histoire|chiste|adivinanza|poema|cuento|barzellett|indovinell|poesia|racconto|filastrocca|piada|charada|conto(?!\p{L})|mop(?!\p{L})|grap(?!\p{L})|raadsel|verhaal|żart|dowcip|zagadk|wiersz|bajk|şaka|fıkra|bilmece|şiir|hik[aâ]ye|masal|role.?play|pretend|act as|rollenspiel|spiel(?:e)? (?:eine?n?|den|die|das|mal)(?!\p{L})|tu (?:sei|sois)(?!\p{L})|joue le rôle|haz de|actúa como|fai finta|finge|faz de conta|doe alsof|udawaj)|冗談|ジョーク|なぞなぞ|物語|俳句|笑话|谜语|谜|故事|诗|농담|수수께끼|이야기/iu;

/** Whoever speaks then was named by the owner: "you are the recruiter". */
export const PLAYS =
  /(?<!\p{L})(?:you(?:'re| are) (?:the|an?|my) |du bist (?:der|die|das|eine?|meine?) |tu es (?:le|la|une?|mon|ma) |eres (?:el|la|una?|mi) |jij bent (?:de|een|mijn) |role.?play|rollenspiel|let's practi[cs]e|üben wir|play (?:an?|the|my) |spiel(?:e)? (?:eine?n?|den|die) )/iu;

/** A question about how something is done. */
export const HOW =
  /(?<!\p{L})(?:how (?:do|does|can|would|to)(?!\p{L})|wie (?:kann|stell|mach|funktioniert|geht|man|richte|bekomm)|comment (?:on|je|faire|fonctionne|puis|marche|configur|install|activ|chang|cré|supprim|utilis)|cómo (?:se|hag|hac|puedo|func|config|activ|cambi|elimin|cre|instal|us)|como (?:faço|fazer|se|funciona|posso|é que)|come (?:si|faccio|funziona|posso)|hoe (?:kan|werkt|moet|stel|doe|maak|zet)|jak (?:się|mogę|zrobi|działa|ustawi|włącz|usun|zmieni|zainstal))|怎么|如何|怎样|どうやって|方法|어떻게|nasıl/iu;

/** That it was heard, and no more. */
export const ACKNOWLEDGES =
  /^(?:(?:ok|okay|alright|sure|yes|ja|oui|sí|sì|sim)[,.]? )?(?:got it|understood|i see|fair enough|no problem|verstanden|alles klar|kein problem|compris|entendu|pas de souci|entendido|comprendido|capito|certo|begrepen|rozumiem|jasne|uppfattat|rozumím|anladım|明白了?|好的|了解(?:です|しました)?|承知しました|알겠습니다|알겠어요)[.!。！]?$/iu;

/** What is left to the owner is no promise: "I'll leave the follow-up to you." */
export const HANDS_BACK =
  /(?<!\p{L})(?:leave|leaving) (?:[\p{L}-]+ ){0,4}(?:up )?to you(?!\p{L})|überlass\p{L}* ich (?:dir|euch|ihnen)|(?:je|on) (?:te|vous) laisse|(?:te|se|os) lo dejo|lo dejo (?:en tus manos|a tu)|lascio (?:\p{L}+ ){0,3}a (?:te|voi|lei)|deixo (?:\p{L}+ ){0,3}(?:com você|contigo|para (?:você|ti))|laat ik aan (?:jou|je|u)|zostawiam (?:\p{L}+ ){0,3}(?:tobie|ci|państwu)|(?:lämnar|överlåter) (?:jag )?(?:\p{L}+ ){0,3}(?:till|åt) dig|nech(?:ám|ávám) (?:\p{L}+ ){0,3}na (?:tobě|vás)|sana bırak|size bırak|お任せし|留给你|交给你|由你(?:来)?决定|맡길게|맡기겠/iu;

/** "He found a ratio of 3:1": whoever did it, the assistant did not. In Spanish "he" is "I have". */
export function isOfSomebody(plain: string, language: string): boolean {
  return (OF_SOMEBODY[language]?.test(plain) ?? false) && !I.test(plain);
}

const I = /(?<!\p{L})(?:i|i've|i'm|i'll|we|ich|wir|je|j'ai|nous)(?!\p{L})/iu;
const OF_SOMEBODY: Readonly<Record<string, RegExp>> = {
  en: /(?<!\p{L})(?:he|she) (?!is|was|has|had|knows|will|can)\p{L}+/iu,
  de: /(?<!\p{L})(?:er|sie) (?:fand|sagte|schrieb|bestellte|schickte|entdeckte|gründete|erfand|kaufte|baute|malte)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:il|elle|ils|elles) (?:ont|avai\p{L}+|\p{L}+èrent|\p{L}+a)(?!\p{L})/iu,
};

/** A letter that English does not have. */
export const FOREIGN = /(?![a-z])\p{L}/iu;

export const IN_ORDER = /(?<!\p{L})in (?:\p{L}+ )?order(?!\p{L})/iu;

/** A request that hands something over: behind a colon, on lines of its own, in quotes, or as a sum. */
export const MATERIAL = /:(?=\s|$)|[：\n"“„«「『`]|\d\s?[+×x*/=−-]\s?\d/u;

export const QUESTION = /[?？]["”»)\]*_]*\s*$/u;

export const OWNER_FIRST = /^(?:you|du|sie|ihr|vous|tu|je|u)\s/iu;

/** The owner says that they put something into a message: "did you read the file I pasted above?" */
export const PASTED =
  /(?<!\p{L})(?:pasted|copied in|eingefügt|reinkopiert|hineinkopiert|gepostet|collée?s?(?!\p{L})|pegué|pegad[oa]s?|te (?:pego|pegué)|incollat[oaie]|colei|colad[oa]s?|geplakt|wklei(?:łem|łam|łam|one|ona|ony))|粘贴|贴(?:了|在|的)|貼り|貼った|붙여 ?넣|yapıştır/iu;
