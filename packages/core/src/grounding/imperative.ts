import { wordsOf } from "./lexicon.ts";

export interface Imperative {
  /** What stands right after a verb that asks for a deed: the thing, or the one it is done for. */
  readonly object: RegExp;
  /** First words that ask for no deed: small words, greetings, thanks, looking, telling. */
  readonly never: RegExp;
}

/** Whether a sentence begins like a request, by its form: a verb nobody listed is a verb all the same. */
export function isImperative(sentence: string, { object, never }: Imperative): boolean {
  const [first, second] = wordsOf(sentence);
  if (first === undefined || second === undefined) return false;
  return !never.test(first) && object.test(second) && /^\p{L}{3,}$/u.test(first);
}

export const IMPERATIVE: Readonly<Record<"en" | "de" | "es" | "fr", Imperative>> = {
  en: {
    object:
      /^(?:my|the|this|that|these|those|it|them|him|her|our|me|all|a|an|everyone|another|two|three|\p{L}{4,}(?<!s)s)$/iu,
    never:
      /(?:ed$|ing$|^(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|may|might|must|what|who|why|how|when|where|which|the|that|this|and|but|for|with|from|about|not|only|what's|all|some|any|both|love|like|hate|thanks|thank|got|lost|sent|found|saw|made|took|gave|wrote|came|went|check|find|show|read|look|search|list|get|compare|explain|review|analy[sz]e|tell|count|see|describe|summari[sz]e|translate|calculate|ask|say|think|guess|help|give|hello|good|nice|happy|best|many|lots|new|big|funny|warm|kind|more|most|other|some|few|several|no|his|her|our|your|their|my|its|great|sorry|just|maybe|today|yes|here|there|near|after|before|since|while|because|than|like|bought|had|let|write|draft|name|define|suggest|recommend|compose|rewrite|proofread|outline|pretend|imagine|verify|confirm|inspect|examine|identify|solve|feel|wish|hope|want|need|know|enjoy|is|plan|brainstorm|evaluate|estimate|rate|rank|spell|quote|simplify|paraphrase|what're))$/iu,
  },
  de: {
    object:
      /^(?:mir|mich|uns|den|die|das|dem|der|meine\p{L}*|mein|bitte|alle|alles|es|ihn|sie|doch|mal|eine?n?|diese\p{L}*|ihm|ihr)$/iu,
    never:
      /^(?:ich|du|er|sie|wir|ihr|es|das|der|die|den|dem|ein|eine|ist|sind|war|hat|habe|hast|haben|wird|kann|kannst|könntest|was|wer|wie|wo|wann|warum|welche\p{L}*|mit|für|von|auf|bei|nach|und|oder|aber|weil|dass|wenn|danke|hallo|guten|zeig|zeige|such|suche|find|finde|lies|schau|schaue|erklär|erkläre|prüf|prüfe|check|nenn|nenne|gibt|gib|fass|übersetz|übersetze|beschreib|wurde|soll|darf|hilf|sieh|erzähl|erzähle|vergleich|vergleiche|berechne|in|im|um|zu|an|schreib|schreibe|formulier|formuliere|war|waren|steht|liegt)$/iu,
  },
  es: {
    object:
      /^(?:el|la|los|las|mi|mis|un|una|este|esta|estos|estas|me|al|a|todo|todos|todas|ese|esa|esto|eso)$/iu,
    never:
      /^(?:yo|tú|tu|él|ella|el|la|los|las|un|una|es|son|está|están|he|has|ha|han|hay|fue|era|qué|que|quién|cómo|cuándo|dónde|por|para|con|de|en|sin|y|pero|si|no|sí|hola|gracias|busca|mira|lee|dime|explica|explícame|cuéntame|muéstrame|muestra|resume|traduce|revisa|comprueba|compara|calcula|describe|encuentra|ayuda|dame|da|tengo|tiene|tienes|puede|puedes|quiero|necesito|ya|todo|toda|redacta|escribe|verifica|analiza|enumera|va|voy|vi|hice|gusta|imagina|finge|vamos|soy)$|(?:é|í|ó)$/iu,
  },
  fr: {
    object:
      /^(?:le|la|les|mon|ma|mes|un|une|ce|cette|ces|moi|l'\p{L}+|au|à|tout|tous|toutes|notre|lui|leur|du|des|d'\p{L}+)$/iu,
    never:
      /^(?:je|tu|il|elle|nous|vous|ils|elles|on|le|la|les|un|une|des|du|ce|c'est|est|sont|a|ont|as|avez|ai|j'ai|qui|que|quoi|quel\p{L}*|comment|quand|où|pourquoi|combien|pour|avec|dans|sur|et|mais|ou|si|oui|non|bonjour|merci|salut|cherche|regarde|lis|lisez|explique|expliquez|résume|traduis|traduisez|montre|raconte|compare|calcule|décris|trouve|aide|donne|vérifie|vérifiez|consulte|rédige|écris|analyse|propose|imagine|était|sera|peux|peut|veux|faut|aime|adore|pas|par|après|avant|chez|liste|invente|reformule)$/iu,
  },
};
