/** Rooms of a home in the languages that replies are read in; a word may go on ("Küchenlicht"). */
const ROOMS: readonly RegExp[] = [
  /(?<!\p{L})(?:kitchen|küche|cuisine|cocina|cucina|cozinha|keuken|kuchni|köket|kuchyn|mutfa)|厨房|台所|キッチン|부엌|주방/iu,
  /(?<!\p{L})(?:living ?room|lounge|wohnzimmer|salon|salón|sala(?!\p{L}| d[ae] (?:pranzo|jantar|manger))|soggiorno|salotto|woonkamer|vardagsrum|obýv|oturma oda)|客厅|リビング|居間|거실/iu,
  /(?<!\p{L})(?:bed ?room|schlafzimmer|chambre|dormitorio|camera da letto|quarto|slaapkamer|sypialni|sovrum|ložnic|yatak oda|nursery|(?:kid|child)\p{L}*['’]?s? room|kinder(?:zimmer|kamer)|cameretta|barnrum|çocuk oda)|卧室|儿童房|寝室|子供部屋|침실|안방|아이 ?방/iu,
  /(?<!\p{L})(?:bath ?room|bad(?:ezimmer|kamer|rum|(?!\p{L}))|salle de bains?|baño|bagno|banheiro|casa de banho|łazien|koupeln|banyo)|浴室|卫生间|風呂|洗面所|욕실|화장실/iu,
  /(?<!\p{L})(?:hall(?:way)?(?!\p{L})|corridor|flur|diele|couloir|pasillo|corridoio|corredor|gang(?!\p{L})|korytarz|przedpok|chodb|koridor)|走廊|廊下|복도/iu,
  /(?<!\p{L})(?:attic|loft|dachboden|grenier|desván|ático|soffitta|sótão|zolder|strych|vind(?!\p{L})|tavan aras)|阁楼|屋根裏|다락/iu,
  /(?<!\p{L})(?:cellar|basement|keller|cave(?!\p{L})|sous-sol|sótano|cantina|porão|kelder|piwnic|källare|sklep(?!\p{L})|bodrum)|地下室|지하/iu,
  /(?<!\p{L})(?:garage|garaje|garagem|garaż|garáž|garaj)|车库|ガレージ|차고/iu,
  /(?<!\p{L})(?:office|study(?!\p{L})|büro|arbeitszimmer|bureau|despacho|oficina|ufficio|escritório|werkkamer|kantoor|biur|gabinet|kontor|pracovn|çalışma oda)|书房|办公室|書斎|서재|사무실/iu,
  /(?<!\p{L})(?:dining ?room|esszimmer|salle à manger|comedor|sala da pranzo|sala de jantar|eetkamer|jadalni|matsal|jídeln)|餐厅|ダイニング|식당/iu,
  /(?<!\p{L})(?:garden|garten|jardin|jardín|giardino|jardim|tuin|ogr[oó]d|trädgård|zahrad|bahçe)|花园|庭|정원/iu,
  /(?<!\p{L})(?:balcon|balkon|balcón|varanda|balkong)|阳台|ベランダ|バルコニー|베란다|발코니/iu,
];

/** Rooms are named in both texts, and none in both. */
export function isOtherRoom(one: string, other: string): boolean {
  const inOne = roomsIn(one);
  return inOne !== 0 && roomsIn(other) !== 0 && (inOne & roomsIn(other)) === 0;
}

function roomsIn(text: string): number {
  return ROOMS.reduce((found, words, at) => (words.test(text) ? found | (1 << at) : found), 0);
}
