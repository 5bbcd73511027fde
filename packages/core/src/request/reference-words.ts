// Words that mean something which was named before, all of it, or where to look.

export const REFERS =
  /(?<!\p{L})(?:it|them|this|that|the (?:file|document|list|note|event|page|message)|es|sie|ihn|dazu|darin|hinein|die (?:datei|liste)|das dokument|lo|la|los|las|el (?:archivo|documento)|le|les|y|le (?:fichier|document)|lo|esso|o arquivo|het|ze|dat|go|je|ją)(?!\p{L})|它|这个|それ|これ|그것/iu;

export const EVERY =
  /(?<!\p{L})(?:all|every|each|everywhere|throughout|both|typos|mistakes|errors|alle[nrms]?|jede[nrms]?|überall|beide|fehler|tippfehler|tod[oa]s|cada|errores|tou(?:s|te|tes)|chaque|partout|fautes|erreurs|tutt[ie]|ogni|errori|elke|overal|fouten|wszystkie|każd\p{L}+|błędy)(?!\p{L})|所有|全部|每|都|すべて|全て|各|모두|모든/iu;

/** A statement that tells the assistant where to look. */
export const POINTS_TO =
  /^(?:please|bitte|por favor|you (?:can|will|may)|you'll|du (?:kannst|findest)|see|siehe|details|more|here|hier|aquí|ici|vous (?:pouvez|trouverez)|tu (?:peux|trouveras|puedes)|请|详见)(?!\p{L})/iu;
