import { IMPERATIVE, isImperative } from "./imperative.ts";
import { list, verbs, words, wordsOf, type Lexicon, type Told } from "./lexicon.ts";
import type { Family } from "./tool-fit.ts";

const ER: Readonly<Record<string, string>> = {
  send: "envoy post notifi inform contact appel annonc expédi répliqu signal téléphon achemin",
  "share send": "partag invit",
  "send deploy create": "publi",
  create: "cré ajout enregistr not sauvegard gard mémoris génér dépos mentionn consign",
  update:
    "modifi chang déplac renomm ajust édit assign corrig remplac configur activ désactiv décal report régl marqu étiquet repouss avanc augment baiss restaur rang",
  delete: "supprim effac enlev retir vid nettoy désinstall révoqu",
  cancel: "annul résili",
  unsubscribe: "désabonn désinscrit",
  archive: "archiv",
  "book order": "réserv bloqu",
  "order book pay": "command achet pass",
  pay: "pay vers vir rembours régl",
  "send pay transfer": "transfér",
  "schedule create": "planifi programm fix cal",
  deploy: "déploy livr lanc",
  git: "fusionn pouss",
  "run device": "exécut lanc démarr redémarr arrêt relanc déclench",
  device: "allum ferm verrouill déverrouill",
  close: "ferm clôtur termin boucl",
  sign: "sign accept déclin refus",
  "install update": "install",
  backup: "sauvegard export",
  transfer: "télécharg copi import synchronis télévers charg",
  print: "imprim",
  done: "effectu réalis trait termin exécut finalis appliqu achev arrang",
};
const PAST = new Map<string, readonly Family[]>([
  ...conjugated(ER),
  ...verbs({
    done: "fait faite faits faites accompli accomplie",
    create: "mis mise inscrit inscrite inscrits ouvert ouverte rempli écrit écrite mises",
    update: "mis mise",
    send: "transmis transmise transmises prévenu prévenue prévenus prévenues averti avertie avertis remis remise répondu écrit parti partie partis parties",
    share: "donné donnée",
    delete: "détruit détruite",
    cancel: "décommandé",
    book: "pris prise retenu retenue",
    pay: "viré payé acquitté",
    device: "éteint éteinte",
    close: "résolu résolue fermé",
    "install update": "installé",
  }),
]);
const NOT_DEEDS = list(
  "vérifié consulté regardé cherché lu vu trouvé parcouru compris pensé cru voulu pu été eu essayé tenté rédigé traduit résumé expliqué comparé préparé confirmé testé examiné analysé reçu supposé remarqué su considéré utilisé calculé mentionné suggéré proposé dû recherché contrôlé relu",
);
const REQUEST =
  /^(?:écri\p{L}*|envoi\p{L}*|envoy\p{L}*|supprim\p{L}*|command\p{L}*|réserv\p{L}*|cré\p{L}*|ajout\p{L}*|prévien\p{L}*|préven\p{L}*|rappel\p{L}*|not(?:e|ez|er)|enregistr\p{L}*|sauvegard\p{L}*|annul\p{L}*|déplac\p{L}*|modifi\p{L}*|chang\p{L}*|pai\p{L}*|pay\p{L}*|vir(?:e|ez|er)|vers(?:e|ez|er)|achèt\p{L}*|achet\p{L}*|publi\p{L}*|post\p{L}*|met(?:s|tez|tre)|allum\p{L}*|étein\p{L}*|ferm\p{L}*|ouvr\p{L}*|partag\p{L}*|transfér\p{L}*|transfèr\p{L}*|répond\p{L}*|appel\p{L}*|planifi\p{L}*|programm\p{L}*|réveill\p{L}*|renomm\p{L}*|archiv\p{L}*|imprim\p{L}*|sign(?:e|ez|er)|install\p{L}*|lanc\p{L}*|exécut\p{L}*|télécharg\p{L}*|copi\p{L}*|inscri\p{L}*|invit\p{L}*|fais|faites|inform\p{L}*|averti\p{L}*|dis|surveill\p{L}*|déploi\p{L}*|fusionn\p{L}*|régl\p{L}*|règl\p{L}*|report\p{L}*|décal\p{L}*|retir\p{L}*|pouss\p{L}*|désabonn\p{L}*|range\p{L}*|prend\p{L}*|bloqu\p{L}*)$/iu;

export const FR: Lexicon = {
  told(clause) {
    const lower = clause.toLowerCase();
    const out: Told[] = [];
    const found = wordsOf(lower);
    const first =
      /(?<!\p{L})(?:j'ai|nous avons|je l'ai|je les ai|je lui ai|je leur ai|je t'ai|je vous ai|je me suis|l'ai|on a|ai)(?!\p{L})/u.test(
        lower,
      );
    const stated =
      /(?<!\p{L})(?:a été|ont été|est|sont|c'est|a bien été|ont bien été|sera|voilà|bien)(?!\p{L})/u.test(
        lower,
      );
    const user = /(?<!\p{L})(?:tu as|vous avez|tu l'as|as-tu|avez-vous)(?!\p{L})/u.test(lower);
    const justDone =
      /(?<!\p{L})(?:viens|venons) (?:juste )?de (?:l\p{L}{1,3} |l'|lui |leur )?(\p{L}{2,})(?:er|ir|re)(?!\p{L})/u.exec(
        lower,
      )?.[1];
    if (justDone !== undefined) {
      const families = PAST.get(`${justDone}é`) ?? PAST.get(`${justDone}i`) ?? PAST.get(`${justDone}u`);
      if (families) out.push({ families, voice: "first" });
    }
    for (const [index, word] of found.entries()) {
      const families = PAST.get(word);
      if (families) {
        if (first && !user) out.push({ families, voice: "first" });
        else if ((stated && !user) || index === 0 || found.length <= 3)
          out.push({ families, voice: "stated" });
      } else if (
        first &&
        !user &&
        index > 0 &&
        /(?:^|')ai$/u.test(found[index - 1] ?? "") &&
        /(?:é|i|u|is|it)e?s?$/u.test(word) &&
        word.length > 3 &&
        !NOT_DEEDS.has(word)
      )
        out.push({ families: ["any"], voice: "first" });
    }
    return out;
  },
  deeds: (clause) =>
    wordsOf(clause.toLowerCase().replaceAll("'", " ")).flatMap((word) => {
      if (/^(?:changements?|modifications?|passé)$/u.test(word)) return ["any"] as const;
      const base = /^(\p{L}{3,}?)(?:er|ir|re)$/u.exec(word)?.[1] ?? "";
      return PAST.get(word) ?? PAST.get(`${base}é`) ?? [];
    }),
  announced(clause) {
    const lower = clause.toLowerCase();
    if (!/(?<!\p{L})(?:je|j'|nous|on|sera|seront)(?!\p{L})/u.test(lower.replaceAll("j'", "j' "))) return [];
    for (const word of wordsOf(lower.replaceAll("'", " "))) {
      const base = /^(\p{L}{3,}?)e?r(?:ai|ons)$/u.exec(word)?.[1];
      const families =
        base === undefined
          ? undefined
          : (PAST.get(`${base}é`) ?? PAST.get(`${base}u`) ?? PAST.get(`${base}i`));
      if (families) return families;
      if (/^enverrai$/u.test(word)) return ["send"];
    }
    const going =
      /(?<!\p{L})(?:je vais|nous allons|on va|je m'apprête à|je suis en train d(?:e|'))(?: \p{L}{1,4}['\s])? ?(\p{L}{3,}?)(?:er|ir|re)(?!\p{L})/u.exec(
        lower,
      )?.[1];
    if (going !== undefined)
      return PAST.get(`${going}é`) ?? PAST.get(`${going}u`) ?? PAST.get(`${going}i`) ?? [];
    const passive = /(?<!\p{L})(?:sera|seront) (?:bien |automatiquement |ensuite )?(\p{L}+)/u.exec(
      lower,
    )?.[1];
    return passive === undefined ? [] : (PAST.get(passive) ?? []);
  },
  asked(ownerWords) {
    for (const sentence of ownerWords
      .toLowerCase()
      .replaceAll("’", "'")
      .split(/[.!?\n;,]| et | puis /u)
      .slice(0, 40)) {
      const all = wordsOf(sentence.replace(/(\p{L})-(?=\p{L})/gu, "$1 ")).filter(
        (word) => !/^(?:s'il|te|vous|plaît|maintenant|puis|ok|elwood|oui|bon|alors|merci|de|d')$/.test(word),
      );
      const first = all[0] ?? "";
      if (REQUEST.test(first) || isImperative(all.join(" "), IMPERATIVE.fr)) return ["any"];
      if (
        /^(?:peux|peux-tu|pourrais|pouvez|pourriez|tu|veux|j'aimerais|je|il)$/u.test(first) &&
        all.slice(1, 5).some((word) => REQUEST.test(word) && /(?:er|ir|re)$/u.test(word))
      )
        return ["any"];
    }
    return undefined;
  },
  done: words(
    "c'est (?:bon|fait|réglé|en place|bouclé|envoyé|parti|plié|arrangé|dans la boîte|en ordre|prêt|ok|terminé|noté dans)|(?:tout|voilà|affaire) (?:est |qui est )?(?:fait|réglé|réglée|prêt|en place|en ordre|bouclé|conclue|classée|calé|rentré dans l'ordre|au point|bon)|(?:est|sont) (?:désormais |maintenant |bien |déjà )?(?:réglée?s?|en place|bouclée?s?|dans la boîte|en règle|calée?s?|actifs?|actives?|en ligne|opérationnel\\p{L}*|à jour|hors service)|^(?:fait|terminé|réglé|chose faite|voilà|c'est fait)(?= |[.!,]|$)|mission accomplie|je m'en (?:suis )?(?:occupe|occupée?|charge|chargée?)|considérez que c'est fait|comme si c'était fait|vous n'avez plus rien à faire|tu n'as plus rien à faire|ça y est|a (?:bien )?(?:marché|fonctionné)|le tour est joué|ni vu ni connu",
  ),
  underway: words(
    "(?:est|sont|part|partent|c'est) (?:déjà |bien |maintenant )?(?:en route|en chemin|entre (?:ses|leurs|vos|tes|de bonnes) mains|chez|dans (?:sa|votre|ta|leur|la) (?:boîte|corbeille)|parties?|partis?|au courant|dans (?:votre|ton|l')|sur (?:votre|ta|ton|la))|(?:est|sont) (?:désormais |maintenant |déjà )?(?:au courant|informée?s?|dans la confidence)|(?:sait|savent) (?:maintenant |désormais |déjà )?(?:que|tout)?|devrai(?:t|ent) (?:\\p{L}+ )?(?:l'|les? )?(?:avoir|recevoir|arriver|être)|(?:a|ont) (?:maintenant |désormais |bien )?(?:accès|sous les yeux|reçu)|vous attend(?:ent)?|t'attend(?:ent)?|arrive(?:nt|ra)? (?:dans|demain|bientôt|d'ici)|figure (?:désormais |bien |maintenant )?(?:dans|sur|à)",
  ),
  question: /\?\s*["”»)*_]*\s*$/u,
  safe: words(
    "voulez-vous|veux-tu|souhaitez-vous|souhaites-tu|dois-je|je peux|je pourrais|nous pouvons|tu peux|vous pouvez|pourriez|pourrais|devriez|si (?:vous|tu|c'est|je|le|la|cela|ça|elle|il)|s'il|dès que (?:vous|tu)|une fois que (?:vous|tu)|quand (?:vous|tu)|lorsque (?:vous|tu)|s'il vous plaît|s'il te plaît|merci de|j'ai besoin|il me faut|il faut|dites-moi|dis-moi|indique\\p{L}*|précise\\p{L}*|confirme(?:z)?|voici|ci-dessous|brouillon|je propose|je suggère|je recommande|désolée?|pardon|excuse\\p{L}*|sans|volontiers|nécessite|demande (?:votre|ton|une)|par exemple|en général|d'habitude|je voudrais|essaye\\p{L}*|essaie\\p{L}*|imagin\\p{L}*|avec plaisir|serait",
  ),
  condition: words(
    "si|quand|lorsque|une fois|s'il|dès que (?:vous|tu)|une fois que|quand (?:vous|tu)|lorsque (?:vous|tu)|après (?:votre|ta)|avant de|avec (?:votre|ton) accord|d'abord",
  ),
  negative: words("n'\\p{L}+|ne|pas|rien|jamais|aucune?|personne|ni|non|plus rien|inchangée?"),
  nothing: words(
    "rien(?! d'autre| de plus)|aucune? (?:modification|changement|message|action|envoi|paiement|appel|e-?mail)|personne|inchangée?|(?:seulement|juste) (?:regardé|lu|consulté)",
  ),
  failed: words(
    "échou\\p{L}*|échec\\p{L}*|erreurs?|refus(?:é|ée|e|ait)|n'ai (?:pas )?pu|pas (?:pu|réussi|fonctionné|marché|abouti|été|envoyé|possible|passé)|impossible|problème\\p{L}*|hors ligne|injoignable|rejetée?|bloquée?|indisponible|raté|planté|rebondi",
  ),
  tried: words("j'ai (?:essayé|tenté)|ma tentative"),
  pending: words(
    "attend(?:ent)?|en attente|en suspens|dès que (?:vous|tu)|(?:nécessite|requiert|demande|manque) (?:encore )?(?:votre|ton|ta|une) (?:validation|approbation|accord|confirmation|autorisation)|pas encore|encore (?:passé|parti)|à valider",
  ),
  declined: words(
    "(?:vous avez|tu as|vous l'avez|tu l'as) (?:refusé|décliné|rejeté)|(?:a été|été) (?:refusée?|déclinée?|rejetée?)|(?:votre|ton) refus",
  ),
  expired: words("expirée?s?|périmée?s?|arrivée? à échéance"),
  unsure: words(
    "peut-être|il se peut|incertaine?|inconnue?|pas (?:sûre?|certaine?|confirmer|confirmé|vérifié|su|sais)|je ne sais pas|aucune? (?:réponse|résultat|confirmation|reçu|trace)|sans (?:réponse|confirmation|résultat)|vérifie(?:z)?|possible que|pas de (?:réponse|résultat|reçu|confirmation)",
  ),
  retract: words(
    "je plaisante|ce n'est pas vrai|c'était faux|aucun reçu|je me suis trompée?|n'a pas eu lieu|en réalité",
  ),
  ack: /^(?:d'accord|ok|entendu|bien sûr|compris|merci(?: beaucoup)?|de rien|parfait|super|très bien|oui|non|bonjour|bonsoir|salut|pas de problème|pas de souci|avec plaisir|volontiers|certainement|\p{Extended_Pictographic}|[\s\p{P}])*$/iu,
  looked: words(
    "(?:vous avez|tu as) (?:\\p{L}+ |\\d+ ){0,3}(?:réunions?|rendez-vous|messages?|courriels?|e-?mails?|tâches?)|(?:j'ai|nous avons|je viens de|je l'ai|je les ai)(?: bien| déjà| rapidement| aussi| tout)? (?:vérifié|vérifier|consulté|consulter|regardé|regarder|cherché|chercher|lu|lire|vu|trouvé|parcouru|parcourir|examiné|analysé|jeté un (?:œil|coup d'œil)|fouillé|recherché|contrôlé|relu|passé en revue|compté|comparé|fait une recherche)|d'après (?:votre|ton|ta|vos|tes|le|la|les)|selon (?:votre|ton|ta|vos|le|la|les)|(?:votre|ton|ta) (?:agenda|calendrier|boîte(?: \\p{L}+)?|messagerie|compte) (?:est|ne|montre|indique|contient|affiche)|dans (?:votre|ton|ta) (?:agenda|calendrier|boîte(?: \\p{L}+)?|messagerie)|(?:ma|la) recherche|après (?:vérification|recherche|lecture|consultation)",
  ),
  verified: words(
    "(?:j'ai|nous avons|je l'ai)(?: bien| aussi| ensuite| même)? (?:vérifié|confirmé|testé|contrôlé|validé)|je me suis assurée?|(?:est|a été|ont été) (?:bien )?(?:vérifiée?s?|confirmée?s?|testée?s?)|et (?:vérifié|testé|confirmé|contrôlé)",
  ),
  arrived: words(
    "(?:est|sont) (?:bien )?arrivée?s?|(?:l'a|l'ont|a|ont) (?:bien |déjà )?(?:reçu|lu|ouvert|répondu|accepté)|(?:a|ont) (?:bien )?été (?:reçue?s?|lue?s?|livrée?s?)|bien reçu",
  ),
  approved: words(
    "(?:comme |puisque |après que |suite à )?(?:vous avez|tu as|vous l'avez|tu l'as|vous m'avez|tu m'as) (?:approuvé|validé|autorisé|donné (?:votre|ton|l')|accepté|confirmé)|(?:avec|après|suite à|grâce à|selon) (?:votre|ton|ta) (?:accord|approbation|validation|autorisation|permission|feu vert|confirmation)",
  ),
  watch: words(
    "(?:je|j'|nous) ?(?:te|vous|t'|l'|le|la|les|lui|y|m'en)? ?(?:rappellerai|préviendrai|avertirai|notifierai|surveillerai|surveille|tiendrai|garde|garderai|veillerai|vérifierai|reviendrai|ferai|suivrai|informerai|alerterai|réveillerai|signalerai|relancerai|dirai|préviens|rappelle|tiens)(?: \\p{L}+)?|je (?:vais|reste|serai) (?:\\p{L}+ ){0,2}(?:surveiller|vous prévenir|te prévenir|vous rappeler|te rappeler|suivre|attentive?|attentif|garder|vérifier|aux aguets)|(?:vous recevrez|tu recevras|vous aurez|tu auras) (?:un|une) (?:rappel|notification|alerte|message|avis)|(?:compte|comptez) sur moi|je n'oublierai pas|je m'en charge|je m'en occupe|je garde un œil",
  ),
  elsewhere: words("d'autre|autres?|de plus|reste|sauf|hormis"),
  all: words("tous|toutes|tout|chaque|les deux|chacune?"),
  most: words("la plupart|presque tous|presque toutes|la majorité"),
  numbers: {
    deux: 2,
    trois: 3,
    quatre: 4,
    cinq: 5,
    six: 6,
    sept: 7,
    huit: 8,
    neuf: 9,
    dix: 10,
    onze: 11,
    douze: 12,
    vingt: 20,
    cent: 100,
  },
  content: words(
    "(?:conseille|recommande|rédige|traduis|explique|résume|décris|propose|suggère|raconte|compare|calcule|reformule|invente|imagine|donne|montre|liste)(?:z|r)?(?:-moi)?|écris(?:-moi)? (?:un|une) (?:\\p{L}+ )?(?:poème|texte|tweet|histoire|brouillon|lettre|résumé)",
  ),
  fiction: words("fais semblant|imagine|joue le rôle|jeu de rôle|histoire|poème|blague|conte"),
  status: words(
    "as-tu|avez-vous|est-ce que (?:tu as|vous avez|c'est)|tu as|vous avez|est-il|est-elle|qu'as-tu|c'est fait|statut|où en",
  ),
  consent:
    /^[\s\p{P}]*(?:oui|ok|d'accord|vas-y|allez-y|fais-le|faites-le|s'il te plaît|s'il vous plaît|volontiers|encore|continue|parfait|je confirme)(?:[\s,]+(?:merci|oui|vas-y|s'il te plaît|s'il vous plaît)){0,3}[\s\p{P}]*$/iu,
  clause:
    /[;:—–]|,(?= )|\s(?=(?:mais|cependant|toutefois|car|parce que|tandis que|et (?:je|j'ai|le|la|les|il|elle|rien|tout|vous|tu|\p{Lu}\p{L}+ est)) )/iu,
  delegate: words(
    "(?:agent|équipe|bot|assistant|tâche|script|processus) (?:\\p{L}+ ){0,3}(?:a|ont|est) (?:\\p{L}+ )?(?:terminée?|trouvé|fini|achevé|prêt)|délégué",
  ),
  others: words("(?:tu as|vous avez|tu l'as|vous l'avez)|félicitations|bravo"),
};

function conjugated(table: Readonly<Record<string, string>>): [string, readonly Family[]][] {
  const out = new Map<string, readonly Family[]>();
  for (const [families, stems] of Object.entries(table))
    for (const stem of stems.split(" "))
      for (const ending of ["é", "ée", "és", "ées"]) {
        const word = `${stem}${ending}`;
        out.set(word, [...(out.get(word) ?? []), ...(families.split(" ") as Family[])]);
      }
  return [...out];
}
