import type { RequestWords } from "./words.ts";

export const FR: RequestWords = {
  position: "first",
  endings: "(?:e|es|ez|er|s|t|ds|dre|re|ir)(?:-(?:moi|le|la|les|lui|leur|nous|toi|y|en))*",
  verbs: {
    write:
      "cré~ ajout~ enregistr~ not~ sauvegard~ modifi~ chang~ ajust~ édit~ assign~ corrig~ remplac~ configur~ activ~ désactiv~ marqu~ étiquet~ rang~ tri~ class~ met~_(?!en_forme).* mettre_.* mets inscri~ inscris rempl~ remplis mémoris~ sign~ répar~ clôtur~ coch~ retien(?:s|t) souvien(?:s|ez)-(?:toi|vous) rappelle-toi",
    delete:
      "supprim~ effac~ enlèv~ enlev~ retir~ vid~ nettoy~ nettoi~ désinstall~ révoqu~ annul~ résili~ désabonn~ désinscri~ jet~ jett~ décommand~ bloqu~_(?:ce|cet|cette|le)_(?:numéro|contact|expéditeur)",
    move: "déplac~ renomm~ archiv~ copi~ télécharg~ télévers~ synchronis~ import~ export~ transfèr~_(?:le|la|les|mes|mon)_(?:fichier|dossier|photo)\\p{L}* dupliqu~",
    send: "comment(?:e|er|ez)_(?:\\S+_){0,3}?(?:issue|ticket|pr|pull_request|fil|l'issue|post|card|discussion|\\S*#\\d+) envo(?:i|y)~ transfèr~ transfér~ répond~ réponds publi~ post~ notifi~ préviens prévien~ préven~ inform~ averti~ contact~ appel(?:le|er|ez)(?:-(?:le|la|les|lui))? téléphon~ partag~ invit~ dis-(?:lui|leur) dire_à dis_à écris-(?:lui|leur) écri(?:s|re|vez)_à demande_à accept~ déclin~ refus~ confirm~_(?:la|le|mon|ma) relanc~_(?!le_serveur|le_build|la_)",
    draft: "écri(?:s|re|vez)(?:-moi|-nous)? rédig~",
    pay: "pai~ pay~ vir~ vers~ achèt~ achet~ command~ rembours~ règl~_(?:la|ma|les|mes)_factures? fais_(?:un|le)_virement.* don(?:ne)?_.*_euros_à",
    schedule:
      "planifi~ programm~ réserv~ rappell~ rappel~ réveill~ réveille-moi fix~ cal(?:e|er|ez) report~ décal~ repouss~ avanc~ surveill~ bloqu~ prend(?:s|re|ez)_(?:un|le)?_?(?:rendez-vous|rdv).* prends_rendez-vous.* mets_(?:une_alarme|un_rappel|un_minuteur|un_réveil).*",
    run: "exécut~ lanc~ démarr~ redémarr~ arrêt~ relanc~ déploi~ déploy~ install~ fusionn~ pouss~ compil~ fais_(?:un_)?(?:commit|push|merge).*",
    control:
      "allum~ étein~ éteins éteindre ferm~ ouvr~ rouvr~ verrouill~ déverrouill~ baiss~ mont(?:e|er|ez)_(?:le|la)_.* imprim~ jou(?:e|er)_(?:de_la|la|du|le_morceau).* coup(?:e|er|ez)_(?:le|la)_(?:son|chauffage|lumière|musique).*",
    look: "va_voir vas_voir allez_voir jett(?:e|er)_un_(?:œil|coup_d'œil)_(?:à|sur|au) vérifi~ regard~ cherch~ lis lisez lire consult~ trouv~ recherch~ fouill~ contrôl~ jett~_un_œil.*",
  },
  lead: "dans (?:\\d+|une?|une demi-|deux|trois|cinq|dix|vingt) ?(?:minutes?|heures?|jours?|semaines?)|à \\d{1,2} ?h(?:\\d{2})?|s'il te plaît|s'il vous plaît|stp|svp|maintenant|puis|ok|elwood|oui|bon|alors|merci de|salut|bonjour|et|mais|ensuite|aussi|(?:peux|pourrais|veux)-tu(?: me| m'| nous)?|tu (?:peux|pourrais)(?: me| m'| nous)?|(?:pouvez|pourriez)-vous(?: me| m'| nous)?|vous pouvez|est-ce que tu (?:peux|pourrais)|je (?:veux|voudrais|souhaite) que tu|aide-moi à|il faut|demain|ce soir|d'abord|n'oublie pas de|surtout|[-*•]|\\d+[.)]",
  noun: "(?:note|commande|réserve|marque|programme|poste|appel|place|liste|offre|copie|rappel|classe|calme|page|contact|règle|range|mail)(?: (?:de|du|pour|sur|à propos)(?![\\p{L}])|\\s*:|$)",
  said: "(?:je|j'\\p{L}+|tu (?!peux|pourrais)|il|elle|nous|on|ils|elles|le|la|les|un|une|mon|ma|mes|c'est|ça)(?![\\p{L}])",
  tell: "répond~_(?:juste|seulement|par|en|uniquement) ajoute_que conseill~ recommand~ tradui~ traduis expliqu~ résum~ décri~ décris propos~ suggèr~ suggér~ racont~ compar~ calcul~ reformul~ invent~ imagin~ donne(?:-moi|z-moi)? donner montr~ list~ analys~ simplifi~ raccourci~ amélior~ choisis choisir devin~ continu~ fais(?:-moi|-en)? dis-moi dire_si complèt~ corrig~_(?:cette|ce|ma|mon|la|le)_(?:phrase|texte|paragraphe|lettre_suivante) écourt~ rends-le mets(?:-le)?_au_propre convertis transform~",
  fiction: "fais semblant|imagine que|joue le rôle|jeu de rôle|tu es (?:un|une|mon|ma)|on joue",
  text: "paragraphes?|phrases?|lignes?|colonnes?|tableau|ton|titre|fonction|poème|histoire|blague|conte|discours|tweet|recette|résumé|quiz|checklist|modèle de|message de commit|lettre de motivation|grammaire|orthographe|fautes|virgules?|salutation|introduction|exemples?|idées?|cette? (?:liste|texte|code)|ta (?:réponse|version)|ton texte|doublons|plan de|avantages et inconvénients|slogan|emojis?|la partie|mots|vers|programme de|planning de révision",
  place:
    "(?:mon|ma|mes|notre|nos|le|la|les|l'|au|du|ton|ta|tes|dans|ce|cette) ?(?:\\p{L}+ )?(?:calendrier|agenda|boîte(?: de réception| mail)?|mails?|e-mails?|courriels?|notes|fichiers?|dossiers?|disque|dépôt|branche|serveur|base(?: de données)?|tableur|compte|solde|banque|liste de courses|liste|to-?do|bureau|téléchargements|documents|photos|messages|site|ordinateur|téléphone|contacts|playlist|commandes?|tâches|rendez-vous|réunions|factures?|corbeille|abonnement|colis|frigo|panier|journal|logs?|réservation)|météo|actualités|internet|en ligne|sur le web|vols?|non lus|horaires|trafic|taux de change|temps qu'il fera",
  ofYou:
    "as-tu|avez-vous|est-ce que (?:tu as|vous avez|c'est|mon|ma|le|la)|tu (?:l'|les )?as|vous (?:l'|les )?avez|qu'as-tu|qu'est-ce que tu as|(?:mon|ma|le|la) \\p{L}+ (?:est|a)(?:-t)?-(?:il|elle)|est-(?:il|elle) \\p{L}+|a-t-(?:il|elle)",
  status:
    "c'est (?:fait|bon|envoyé|réglé|réservé|parti)|statut|où en|ça a marché|des nouvelles|tu avais dit|qu'est-ce qui s'est passé|c'est prêt|tu en es où",
  consent:
    "(?:oui|ok|d'accord|vas-y|allez-y|fais-le|faites-le|s'il te plaît|s'il vous plaît|volontiers|encore|continue|parfait|je confirme|j'approuve|approuvé|confirmé|ça marche|ça me va|bien sûr|entendu|c'est bon|très bien|exactement)(?:[\\s,.!]+(?:merci|oui|vas-y|s'il te plaît|s'il vous plaît|fais-le|pour moi|d'accord|parfait|continue|allez-y)){0,4}",
  refusal:
    "(?:non|arrête|stop|laisse tomber|surtout pas|pas maintenant|oublie|pas encore|laisse)(?:[\\s,.!]+(?:merci|s'il te plaît|pas|ça|laisse|tomber|oublie)){0,4}",
  not: "(?:ne |n'|pas besoin (?:de |d')|inutile (?:de |d')|il ne faut pas |évite (?:de |d')|surtout pas )(?:(?:me|le|la|les|lui|leur|pas|rien|l'|m') ?)*",
  asks: "qui|que|quoi|quel\\p{L}*|comment|quand (?:est|sont|a|as|ont|y|commence|part|arrive|dois|faut|va)|où|pourquoi|combien|est-ce|qu'est-ce|y a-t-il|c'est quoi|est-ce que (?!tu peux|tu pourrais)|faut-il|puis-je|peut-on|dois-je|ai-je|qu'\\p{L}+|suis-je|à quelle|à quoi|de quoi",
  how: "pourquoi|comment|qu'est-ce qu'un\\p{L}?|c'est quoi un\\p{L}?|que (?:veut dire|signifie|se passe)|faut-il|puis-je|peut-on|dois-je|est-ce (?:grave|normal|mal)",
  and: " (?:et(?! demie?| quart)|puis|ensuite|mais) ",
};
