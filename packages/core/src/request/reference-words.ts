// Words that mean something which was named before, all of it, or where to look.

export const REFERS =
  /(?<!\p{L})(?:it|them|this|that|the (?:file|document|list|note|event|page|message)|es|sie|ihn|dazu|darin|hinein|die (?:datei|liste)|das dokument|lo|la|los|las|el (?:archivo|documento)|le|les|y|le (?:fichier|document)|lo|esso|o arquivo|het|ze|dat|go|je|ją)(?!\p{L})|它|这个|それ|これ|그것/iu;

export const EVERY =
  /(?<!\p{L})(?:all|every|each|everywhere|throughout|both|typos|mistakes|errors|alle[nrms]?|jede[nrms]?|überall|beide|fehler|tippfehler|tod[oa]s|cada|errores|tou(?:s|te|tes)|chaque|partout|fautes|erreurs|tutt[ie]|ogni|errori|elke|overal|fouten|wszystkie|każd\p{L}+|błędy)(?!\p{L})|所有|全部|每|都|すべて|全て|各|모두|모든/iu;

/** A statement that tells the assistant where to look. */
export const POINTS_TO =
  /^(?:please|bitte|por favor|you (?:can|will|may)|you'll|du (?:kannst|findest)|see|siehe|details|more|here|hier|aquí|ici|vous (?:pouvez|trouverez)|tu (?:peux|trouveras|puedes)|请|详见)(?!\p{L})/iu;

/** A statement that says where something of the sender's own is: "My rate server is https://…". */
export const OWN_PLACE =
  /^(?:(?:and|so|well|und|also|y|et|e)\s)?(?:my|our|mein\p{L}*|unser\p{L}*|mis?|nuestr\p{L}*|mon|ma|mes|notre|nos|(?:il |la )?mi[oa]|(?:il |la )?nostr\p{L}*|(?:o |a )?(?:meu|minha|nosso|nossa)|mijn|onze?|m[oó]j\p{L}*|nasz\p{L}*)\s[^.!?\n]{1,60}?(?:\s(?:is|are|ist|es|está|est|è|é|jest|lives|runs|läuft|liegt|steht)(?:\s(?:at|under|on|here|unter|auf|hier|en|aquí|à|ici|a|qui|em|op|hier|pod))?|:)\s["'“<(]?(?:https?:\/\/|www\.|[\p{L}\p{N}-]+\.\p{L})|^(?:我的|我们的|私の|うちの)[^。！？\n]{1,30}?(?:是|在|は)\s?(?:https?:\/\/|www\.)/iu;

/** A line of a text, by its number. */
export const LINE_NUMBER =
  /(?<!\p{L})(?:lines?|rows?|zeilen?|l[ií]neas?|filas?|lignes?|rig[ah]e?|linhas?|regels?|wiersz\p{L}*|lini\p{L}*)\s\d{1,7}(?![\p{L}\p{N}])|第\s?\d{1,7}\s?行|\d{1,7}\s?行目/iu;

/** A clause that puts another thing in place of one that was named before. */
export const MEANT =
  /^(?:(?:no|sorry|oh|oops|nein|entschuldigung|perdón|pardon|non),?\s)?(?:i (?:meant|mean)|ich (?:meinte?|meine)|(?:yo )?(?:quise|quería|quiero) decir|je (?:voulais|veux) dire|(?:io )?(?:intendevo|volevo dire)|(?:eu )?(?:quis|queria) dizer|ik bedoel(?:de)?|(?:miałem|miałam|chodziło mi))\s|^我(?:是说|指的是|的意思是)/iu;
