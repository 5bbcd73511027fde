/** "All three". */
export const ALL =
  /(?<!\p{L})(?:all|every(?:one|thing|body)?|whole|entire|both|alle[nrs]?|alles|sämtliche|beide[nrs]?|ganze[nrs]?|tod[oa]s?|amb[oa]s|tous|toutes?|entier|les deux|tutt[eio]|entramb[ei]|allemaal|allebei|hele|wszyst\p{L}+|wszyscy|oba|obie|alla|båda|samtliga|všechn\p{L}+|všichni|obě|hepsi\p{L}*|tümü\p{L}*|bütün|ikisi)(?!\p{L})|全部|所有|都|両方|全て|すべて|모두|전부|다 /iu;

/** "Two of the three": the larger number is what there was to do. */
export const PART_OF =
  /(?<!\p{L})(?:of the|out of|von|der|des|sur|de los|de las|sobre|delle|dei|su|das|dos|van de|z)(?!\p{L})\s+(?:\d+|\p{L}+)|中的|のうち|중/iu;

/** Something beside what was asked for. */
export const ALSO =
  /(?<!\p{L})(?:also|too|as well|while i was at it|went ahead|by the way|auch|außerdem|zudem|gleich|nebenbei|aussi|également|au passage|también|además|de paso|anche|inoltre|già che|também|além|aproveit\p{L}+|ook|meteen|bovendien|też|także|również|przy okazji|od razu|också|dessutom|även|passade på|taky|také|navíc|rovnou|ayrıca)(?!\p{L})|也|还|顺便|另外|も|ついでに|あわせて|도 |까지|겸/iu;

/** Of other things than those told of: "nothing else was touched". */
export const ELSE =
  /(?<!\p{L})(?:else|other(?:s|wise)?|rest|only|just|but|except|apart|sonst|ander\p{L}*|übrige\p{L}*|nur|außer|autres?|reste|seule?ment|sauf|juste|otr[oa]s?|demás|resto|sol[oa]|sólo|excepto|salvo|altr[oaie]|solo|soltanto|tranne|outr[oa]s?|só|apenas|exceto|verder|andere?|alleen|behalve|inn\p{L}*|reszt\p{L}*|tylko|poza|oprócz)(?!\p{L})|其他|别的|其余|只|除了|他の|ほか|以外|だけ|다른|나머지|외에|만 /iu;
