import { spelled } from "../base/letters.ts";
import { WordScan } from "./word-scan.ts";

/**
 * Things of one kind, of which one is never another: rooms, days, accounts, doors. Each line is one
 * thing in the languages that replies are read in; a word may go on ("Küchenlicht"). What is on no
 * list is compared by its letters (`FactReader`).
 */
const KINDS: readonly (readonly RegExp[])[] = [
  // Rooms and what belongs to a house.
  [
    /(?<!\p{L})(?:kitchen|küche|cuisine|cocina|cucina|cozinha|keuken|kuchni|köket|kuchyn|mutfa)|厨房|台所|キッチン|부엌|주방/u,
    /(?<!\p{L})(?:living ?room|lounge|wohnzimmer|salon|salón|sala(?!\p{L}| d[ae] (?:pranzo|jantar|manger))|soggiorno|salotto|woonkamer|vardagsrum|obýv|oturma oda)|客厅|リビング|居間|거실/u,
    /(?<!\p{L})(?:bed ?room|schlafzimmer|chambre|dormitorio|camera da letto|quarto|slaapkamer|sypialni|sovrum|ložnic|yatak oda)|卧室|寝室|침실|안방/u,
    /(?<!\p{L})(?:nursery|kids room|kid's room|children's room|kinderzimmer|kinderkamer|chambre d'enfant|cameretta|barnrum|çocuk oda|pokój dziec)|儿童房|子供部屋|아이방|아이 방/u,
    /(?<!\p{L})(?:bath ?room|badezimmer|badkamer|badrum|bad(?!\p{L})|salle de bains?|baño|bagno|banheiro|casa de banho|łazien|koupeln|banyo)|浴室|卫生间|風呂|洗面所|욕실|화장실/u,
    /(?<!\p{L})(?:hallway|hall(?!\p{L})|corridor|flur|diele|couloir|pasillo|corridoio|corredor|gang(?!\p{L})|korytarz|przedpok|chodb|koridor)|走廊|廊下|복도/u,
    /(?<!\p{L})(?:attic|loft|dachboden|grenier|desván|ático|soffitta|sótão|zolder|strych|vind(?!\p{L})|tavan aras)|阁楼|屋根裏|다락/u,
    /(?<!\p{L})(?:cellar|basement|keller|cave(?!\p{L})|sous-sol|sótano|cantina|porão|kelder|piwnic|källare|sklep(?!\p{L})|bodrum)|地下室|지하/u,
    /(?<!\p{L})(?:garage|garaje|garagem|garaż|garáž|garaj)|车库|ガレージ|차고/u,
    /(?<!\p{L})(?:office|study(?!\p{L})|büro|arbeitszimmer|bureau|despacho|oficina|ufficio|studio(?!\p{L})|escritório|werkkamer|kantoor|biur|gabinet|kontor|pracovn|çalışma oda)|书房|办公室|書斎|서재|사무실/u,
    /(?<!\p{L})(?:dining ?room|esszimmer|salle à manger|comedor|sala da pranzo|sala de jantar|eetkamer|jadalni|matsal|jídeln)|餐厅|ダイニング|식당/u,
    /(?<!\p{L})(?:garden|garten|jardin|jardín|giardino|jardim|tuin|ogród|ogrod|trädgård|zahrad|bahçe)|花园|庭|정원/u,
    /(?<!\p{L})(?:balcon|balkon|balcón|varanda|balkong)|阳台|ベランダ|バルコニー|베란다|발코니/u,
  ],
  // Ways in.
  [
    /(?<!\p{L})(?:front (?:door|gate)|haustür|vordertür|porte d'entrée|puerta (?:principal|de entrada)|porta (?:d'ingresso|principale|da frente)|voordeur|drzwi (?:wejściowe|frontowe))|玄関|前门|大门|현관/u,
    /(?<!\p{L})(?:back (?:door|gate)|rear door|hintertür|porte (?:arrière|de derrière)|puerta trasera|porta (?:sul retro|dos fundos)|achterdeur|tylne drzwi)|裏口|勝手口|后门|뒷문/u,
    /(?<!\p{L})(?:side (?:door|gate)|seitentür|porte latérale|puerta lateral|porta laterale|zijdeur|boczne drzwi)|侧门|옆문/u,
  ],
  // Days of the week.
  [
    /(?<!\p{L})(?:monday|montag|lundi|lunes|lunedì|segunda(?!\p{L})|maandag|poniedział|pazartesi|måndag|pondělí)|周一|星期一|月曜|월요일/u,
    /(?<!\p{L})(?:tuesday|dienstag|mardi|martes|martedì|terça(?!\p{L})|dinsdag|wtor(?:ek|ku|ki)|salı(?!\p{L})|tisdag|úterý)|周二|星期二|火曜|화요일/u,
    /(?<!\p{L})(?:wednesday|mittwoch|mercredi|miércoles|mercoledì|quarta(?!\p{L})|woensdag|środ|çarşamba|onsdag|střed[au](?!\p{L}))|周三|星期三|水曜|수요일/u,
    /(?<!\p{L})(?:thursday|donnerstag|jeudi|jueves|giovedì|quinta(?!\p{L})|donderdag|czwart(?:ek|ku|ki)|perşembe|torsdag|čtvrtek)|周四|星期四|木曜|목요일/u,
    /(?<!\p{L})(?:friday|freitag|vendredi|viernes|venerdì|sexta(?!\p{L})|vrijdag|piąt(?:ek|ku|ki)|cuma(?!\p{L}|rtesi)|fredag|pátek)|周五|星期五|金曜|금요일/u,
    /(?<!\p{L})(?:saturday|samstag|sonnabend|samedi|sábado|sabato|zaterdag|sobot|cumartesi|lördag)|周六|星期六|土曜|토요일/u,
    /(?<!\p{L})(?:sunday|sonntag|dimanche|domingo|domenica|zondag|niedziel|pazar(?!\p{L}|tesi)|söndag|neděl)|周日|周天|星期日|星期天|日曜|일요일/u,
  ],
  // Accounts.
  [
    /(?<!\p{L})(?:savings|sparkonto|sparbuch|livret|épargne|cuenta de ahorro|conto deposito|poupança|spaarrekening|oszczędno)|储蓄|貯蓄|저축|적금/u,
    /(?<!\p{L})(?:(?:checking|current) account|girokonto|compte courant|cuenta corriente|conto corrente|conta corrente|betaalrekening|bieżąc)|活期|普通預金|입출금/u,
    /(?<!\p{L})(?:joint account|gemeinschaftskonto|compte joint|cuenta (?:conjunta|común)|conto cointestato|conta conjunta|gezamenlijke rekening|wspóln)|联名|共同口座|공동 계좌/u,
    /(?<!\p{L})(?:credit card|kreditkart|carte de crédit|tarjeta de crédito|carta di credito|cartão de crédito|creditcard|kart[aęy] kredyt)|信用卡|クレジットカード|신용카드/u,
  ],
  // Where software runs.
  [
    /(?<!\p{L})(?:production|prod(?!\p{L})|produktion|producción|produzione|produção|productie|produkcj)|生产环境|本番|운영 환경/u,
    /(?<!\p{L})(?:staging|preprod|pre-prod)|预发布|ステージング|스테이징/u,
  ],
  // People of a family.
  [
    /(?<!\p{L})(?:mum(?!\p{L})|mom(?!\p{L})|mother(?!\p{L})|mama(?!\p{L})|mutti|mutter|maman|mère|mamá|madre|mamma|mãe|moeder|matk|mamie?(?!\p{L}))|妈妈|母さん|엄마|어머니/u,
    /(?<!\p{L})(?:dad(?!\p{L})|father(?!\p{L})|papa(?!\p{L})|vater|père|papá|padre|papà|pai(?!\p{L})|vader|ojciec|ojca|tat[aęy](?!\p{L}))|爸爸|父さん|아빠|아버지/u,
    /(?<!\p{L})(?:sister|schwester|sœur|hermana|sorella|irmã|zus(?!\p{L})|siostr)|姐姐|妹妹|姉|妹|누나|언니|여동생/u,
    /(?<!\p{L})(?:brother|bruder|frère|hermano|fratello|irmão|broer|brat(?:a|u|em)?(?!\p{L}))|哥哥|弟弟|兄|弟|오빠|형|남동생/u,
  ],
  // Machines of a house.
  [
    /(?<!\p{L})(?:dishwasher|spülmaschine|geschirrspüler|lave-vaisselle|lavavajillas|lavastoviglie|lava-louça|vaatwasser|zmywark)|洗碗机|食洗機|식기세척기/u,
    /(?<!\p{L})(?:washing machine|washer(?!\p{L})|waschmaschine|lave-linge|lavadora|lavatrice|máquina de lavar|wasmachine|pralk)|洗衣机|洗濯機|세탁기/u,
    /(?<!\p{L})(?:tumble dryer|dryer(?!\p{L})|trockner|sèche-linge|secadora|asciugatrice|wasdroger|suszark)|烘干机|乾燥機|건조기/u,
    /(?<!\p{L})(?:oven(?!\p{L})|backofen|le four(?!\p{L})|horno|forno|piekarnik)|烤箱|オーブン|오븐/u,
  ],
];

/** The things of all kinds in scans of as many as one can tell apart. */
const PER_SCAN = 31;
let scans: readonly WordScan[] | undefined;

/** Which things of all kinds a text names; one bit each. */
export type Things = readonly number[];

export function thingsIn(text: string): Things {
  scans ??= scansOf(KINDS.flat());
  spelled.spell(text);
  return scans.map((scan) => scan.find(spelled));
}

function scansOf(all: readonly RegExp[]): WordScan[] {
  const out: WordScan[] = [];
  for (let at = 0; at < all.length; at += PER_SCAN) out.push(new WordScan(all.slice(at, at + PER_SCAN)));
  return out;
}

/** For each kind, in each scan, the bits of its things. */
const MASKS: readonly Things[] = masks();

function masks(): number[][] {
  let at = 0;
  return KINDS.map((things) => {
    const mask = Array.from({ length: Math.ceil(KINDS.flat().length / PER_SCAN) }, () => 0);
    for (const _ of things) {
      mask[Math.floor(at / PER_SCAN)]! |= 1 << (at % PER_SCAN);
      at += 1;
    }
    return mask;
  });
}

/** Some thing is named in both texts, in whichever language. */
export function isSame(one: Things, other: Things): boolean {
  return one.some((bits, at) => (bits & other[at]!) !== 0);
}

/** Of some kind things are named in both texts, and none in both. */
export function isOther(one: Things, other: Things): boolean {
  const shares = (mask: Things, ...all: readonly Things[]) =>
    mask.some((bits, at) => all.reduce((left, things) => left & things[at]!, bits) !== 0);
  return MASKS.some((mask) => shares(mask, one) && shares(mask, other) && !shares(mask, one, other));
}
