import { IMPERATIVE, isImperative } from "./imperative.ts";
import { list, verbs, words, wordsOf, type Lexicon, type Told } from "./lexicon.ts";
import type { Family } from "./tool-fit.ts";

/** Stems by what they do; the endings say who and when. */
const AR: Readonly<Record<string, string>> = {
  send: "envi mand reenvi contest public notific avis inform comunic entreg post llam respond mensaj tramit",
  "share send": "invit",
  create: "cre añad agreg guard anot apunt registr grab insert gener agend",
  update:
    "actualiz modific cambi edit renombr ajust reprogram asign etiquet marc reemplaz configur activ desactiv arregl traslad pas aument baj restaur coloc organiz adelant retras aplaz",
  delete: "elimin borr quit vaci limpi desinstal revoc",
  cancel: "cancel anul",
  unsubscribe: "desuscrib",
  archive: "archiv",
  "book order": "reserv",
  "order book pay": "compr encarg orden",
  pay: "pag abon transfer don reembols",
  "schedule create": "program planific agend concert",
  deploy: "despleg lanz",
  git: "fusion",
  "run device": "ejecut inici reinici par lanz arranc termin",
  device: "apag bloque desbloque conect",
  close: "cerr complet",
  sign: "firm acept rechaz",
  "install update": "instal",
  backup: "respald export",
  transfer: "descarg copi import carg sincroniz",
  done: "complet realiz gestion solucion efectu tramit arregl finaliz prepar",
};
const ER_IR: Readonly<Record<string, string>> = {
  "send create": "escrib",
  send: "remit respond transmit",
  "share send": "compart",
  create: "abr",
  update: "mov correg",
  device: "encend",
  order: "ped",
  transfer: "sub",
  done: "cumpl",
};
const PAST = new Map<string, readonly Family[]>([
  ...conjugated(AR, ["ado", "ada", "ados", "adas"], ["é", "amos"]),
  ...conjugated(ER_IR, ["ido", "ida", "idos", "idas"], ["í", "imos"]),
  ...verbs({
    done: "hecho hecha hechos hechas resuelto resuelta hice listo lista listos listas",
    create: "puesto puesta puse abierto abierta escrito escrita",
    "send create": "escrito",
    send: "dije respondido",
    close: "cerré",
    share: "dado dada di",
    "unsubscribe cancel": "baja",
    print: "impreso imprimido imprimí impresa",
    order: "pedí pedido",
    update: "movido movida moví",
    pay: "pagué transferido transferida transferí",
  }),
]);
const NOT_DEEDS = list(
  "revisado comprobado mirado buscado leído visto consultado verificado encontrado intentado entendido pensado creído querido podido sido estado tenido habido redactado traducido resumido explicado comparado confirmado probado examinado analizado recibido supuesto notado sabido considerado usado calculado mencionado sugerido propuesto",
);
const REQUEST = new RegExp(
  `^(?:${["env[ií]\\p{L}*", "mand\\p{L}*", "reserv\\p{L}*", "av[ií]s\\p{L}*", "recu[eé]rd\\p{L}*", "cre\\p{L}{1,4}", "crea", "añad\\p{L}*", "agreg\\p{L}*", "guard\\p{L}*", "borr\\p{L}*", "elimin\\p{L}*", "cancel\\p{L}*", "cambi\\p{L}*", "mu[eé]v\\p{L}*", "pag\\p{L}*", "transfi[eé]r\\p{L}*", "compr\\p{L}*", "p[ií]d\\p{L}*", "public\\p{L}*", "program\\p{L}*", "apunt\\p{L}*", "anot\\p{L}*", "pon\\p{L}*", "qu[ií]t\\p{L}*", "apag\\p{L}*", "enci[eé]nd\\p{L}*", "sub\\p{L}*", "descarg\\p{L}*", "comp[aá]rt\\p{L}*", "actualiz\\p{L}*", "ll[aá]m\\p{L}*", "contest\\p{L}*", "respond\\p{L}*", "ren[uo]mbr\\p{L}*", "cierr\\p{L}*", "imprim\\p{L}*", "firm\\p{L}*", "archiv\\p{L}*", "agend\\p{L}*", "despi[eé]rt\\p{L}*", "haz\\p{L}*", "ejecut\\p{L}*", "instal\\p{L}*", "d[ií]\\p{L}{0,4}", "dale", "mete", "súbe\\p{L}*", "vigil\\p{L}*", "escr[ií]b\\p{L}*", "inform\\p{L}*", "notif[ií]c\\p{L}*", "invit\\p{L}*"].join("|")})$`,
  "iu",
);

/** A stressed imperative with its pronouns: "inscríbeme", "mándaselo". */
const CLITIC =
  /^(?!d[ií]|cu[eé]nt|expl[ií]c|mu[eé]str|ay[uú]d|recomi[eé]nd|av[ií]sa)\p{L}{2,}[áéíóú]\p{L}{1,5}(?:me|nos|les?|l[oa]s?|sel[oa]s?|mel[oa]s?)$/u;

export const ES: Lexicon = {
  told(clause) {
    const lower = clause.toLowerCase();
    const first = /(?<!\p{L})(?:he|hemos|acabo de|acabamos de)(?!\p{L})/u.test(lower);
    const stated =
      /(?<!\p{L})(?:está|están|ha sido|han sido|fue|fueron|queda|quedan|quedó|quedaron|ha quedado|han quedado|se ha|se han|ya|tienes|tienen|tiene)(?!\p{L})/u.test(
        lower,
      );
    const user = /(?<!\p{L})(?:has|habéis|hiciste|usted ha)(?!\p{L})/u.test(lower);
    const out: Told[] = [];
    const found = wordsOf(lower);
    for (const [index, word] of found.entries()) {
      const families = PAST.get(word);
      if (families) {
        const preterite = /(?:é|í)$/u.test(word) || /^(?:hice|puse|dije)$/u.test(word);
        if (preterite || (first && !user)) out.push({ families, voice: "first" });
        else if ((stated && !user) || index === 0 || found.length <= 3)
          out.push({ families, voice: "stated" });
      } else if (
        first &&
        index > 0 &&
        /^(?:he|hemos)$/u.test(found[index - 1] ?? "") &&
        /(?:ado|ido|to|cho)$/u.test(word) &&
        !NOT_DEEDS.has(word)
      )
        out.push({ families: ["any"], voice: "first" });
    }
    return out;
  },
  deeds: (clause) =>
    wordsOf(clause.toLowerCase()).flatMap((word) => {
      if (/^(?:cambios?|pasado|ocurrido)$/u.test(word)) return ["any"] as const;
      const base = /^(\p{L}{3,}?)(?:ar|er|ir)(?:l[aeo]s?|te|me|se)*$/u.exec(word)?.[1] ?? "";
      return PAST.get(word) ?? PAST.get(`${base}ado`) ?? PAST.get(`${base}ido`) ?? [];
    }),
  announced(clause) {
    const lower = clause.toLowerCase();
    for (const word of wordsOf(lower)) {
      const base = /^(\p{L}{3,}?)(?:aré|aremos|eré|iré|iremos)$/u.exec(word)?.[1];
      if (base === undefined) continue;
      return PAST.get(`${base}ado`) ?? PAST.get(`${base}ido`) ?? [];
    }
    const going = /(?<!\p{L})(?:voy|vamos) a (\p{L}{3,}?)(?:ar|er|ir)(?:l[aeo]s?|te|me|se)*(?!\p{L})/u.exec(
      lower,
    )?.[1];
    return going === undefined ? [] : (PAST.get(`${going}ado`) ?? PAST.get(`${going}ido`) ?? []);
  },
  asked(ownerWords) {
    for (const sentence of ownerWords
      .toLowerCase()
      .split(/[.!?¡¿\n;,]| y /u)
      .slice(0, 40)) {
      const all = wordsOf(sentence).filter(
        (word) => !/^(?:por|favor|ahora|luego|ok|elwood|sí|vale|oye|me|lo|la|le)$/.test(word),
      );
      const first = all[0] ?? "";
      if (REQUEST.test(first) || CLITIC.test(first) || isImperative(sentence, IMPERATIVE.es)) return ["any"];
      if (
        /^(?:puedes|podrías|quiero|necesito|puede|podría)$/u.test(first) &&
        /(?:ar|er|ir)(?:l[aeo]s?|te|me|se)*$/u.test(all[1] ?? "")
      )
        return ["any"];
    }
    return undefined;
  },
  done: words(
    "(?:ya está|está|todo|ya|queda|quedó)? ?(?:hecho|listo|resuelto|solucionado|terminado|completado|arreglado)(?= |[.!,]|$)|ya está|(?:está|queda|ha quedado|quedó|están) (?:ya )?(?:todo )?(?:en marcha|en regla|en orden|atado|cerrado|zanjado|en su sitio|arreglado|apañado|al día|activo|encarrilado)|dalo por hecho|dicho y hecho|asunto (?:zanjado|resuelto|cerrado)|misión cumplida|de eso ya me he encargado|me (?:he )?(?:ocup\\p{L}+|encarg\\p{L}+)|no tienes que preocuparte|ya puedes olvidarte|salió bien|a pedir de boca",
  ),
  underway: words(
    "(?:está|va|van|están|ha salido|han salido|salió) (?:ya )?(?:de|en|para|por|rumbo a|hacia) ?(?:camino|viaje|su|él|ella|manos)?|ya (?:lo|la|los|las|le|les) (?:tiene|tienen|sabe|saben)|(?:sabe|saben|tiene|tienen) (?:ya )?(?:que|el|la|los|las|tu|noticia|constancia)|(?:está|están|queda|quedan|figura|aparece) (?:ya )?(?:en|dentro de) (?:tu|su|la|el)|debería (?:\\p{L}+ )?(?:tener|llegar|estar|recibir)|estará en|te espera(?:n)?|llega(?:rá)? (?:en|mañana|hoy)",
  ),
  question: /\?\s*["”»)*_]*\s*$/u,
  safe: words(
    "¿|quieres que|quiere que|te gustaría|puedo|podría|podemos|puedes|puede|deberías|si (?:quieres|lo|me|te|no|el|la|prefieres|necesitas|quiere|desea)|en cuanto (?:me|lo|tú|usted|confirmes|apruebes)|cuando (?:me|lo|tú|quieras|confirmes|apruebes)|por favor|necesito|dime|dígame|avísame si|indícame|confírmame|aquí (?:tienes|está|va|tiene)|borrador|te propongo|sugiero|recomiendo|te recomiendo|lo siento|lamento|disculpa|sin|encantad[oa]|necesita|requiere|hace falta|para eso|por ejemplo|normalmente|en general|suele|me gustaría|prueba|intenta|imagina",
  ),
  condition: words(
    "si|cuando|una vez|en cuanto (?:me|lo|tú|usted|confirmes|apruebes|confirme|apruebe|des)|cuando (?:me|lo|tú|quieras|confirmes|apruebes|confirme|apruebe|des)|una vez que|después de que|antes de|con tu (?:permiso|aprobación|visto bueno)",
  ),
  negative: words("no|nada|nunca|ningun[oa]?|ningún|nadie|ni|tampoco|jamás"),
  nothing: words(
    "nada(?! más)|ningún (?:cambio|mensaje|correo|pago)|ninguna (?:acción|modificación|llamada)|a nadie|solo (?:he )?(?:mirado|leído)",
  ),
  failed: words(
    "fall(?:ó|ado|o|aron|a)|error(?:es)?|rechaz(?:ó|ado|ada|aron)|no (?:pude|he podido|se pudo|ha podido|se ha podido|se ha|funcionó|salió|fue posible|pudo|he logrado|logré|se envió|ha funcionado|se completó|respond\\p{L}+)|imposible|sin éxito|problema\\p{L}*|fuera de línea|caíd[oa]|deneg(?:ó|ado|ada)|bloquead[oa]|no",
  ),
  tried: words("he intentado|intenté|traté de|he tratado|mi intento"),
  pending: words(
    "esper(?:a|ando|o)|a la espera|pendiente(?:s)?|en cuanto|cuando (?:lo )?(?:apruebes|confirmes|autorices)|(?:necesita|requiere|falta) (?:tu|su) (?:aprobación|confirmación|permiso|autorización|visto bueno)|aún no|todavía no|en espera",
  ),
  declined: words(
    "(?:has |ha )?rechaz(?:aste|ado|ó)|(?:has |ha )?deneg(?:aste|ado|ada)|no (?:lo )?(?:aprobaste|autorizaste|has aprobado|has autorizado)|fue (?:rechazad[oa]|denegad[oa])",
  ),
  expired: words("(?:ha )?(?:caduc(?:ó|ado|ada)|expir(?:ó|ado|ada)|venc(?:ió|ido|ida))"),
  unsure: words(
    "quizá(?:s)?|tal vez|puede que|podría|no (?:estoy seguro|sé|puedo confirmar|consta|lo he comprobado|he comprobado|está claro|lo he verificado)|desconocid[oa]|sin (?:respuesta|confirmación|resultado)|ningún (?:recibo|registro|resultado)|no hay (?:recibo|registro|constancia|confirmación)|es posible que|compru[eé]b\\p{L}*",
  ),
  retract: words(
    "es broma|no es cierto|no es verdad|no hay recibo|me equivoqué|no ocurrió|en realidad no|no ha ocurrido",
  ),
  ack: /^(?:vale|ok|claro(?: que sí)?|de acuerdo|entendido|gracias|de nada|perfecto|genial|por supuesto|muy bien|sí|no|hola|buenos días|buenas(?: tardes| noches)?|con gusto|sin problema|\p{Extended_Pictographic}|[\s\p{P}])*$/iu,
  looked: words(
    "(?:tienes|tiene) (?:\\p{L}+ |\\d+ ){0,3}(?:reuni(?:ón|ones)|correos?|mensajes?|citas?|tareas?|eventos?)|(?:he|hemos)(?: ya)? (?:revisado|mirado|buscado|leído|visto|consultado|comprobado|encontrado|examinado|analizado|echado un vistazo|repasado|inspeccionado|explorado|contado|comparado)|acabo de (?:revisar|mirar|buscar|leer|consultar|comprobar)|(?:revisé|busqué|miré|leí|consulté|comprobé|encontré|vi|eché un vistazo|repasé)|según (?:tu|su|el|la|los|las)|tu (?:agenda|bandeja|calendario|correo|cuenta|buzón) (?:está|tiene|muestra|dice)|(?:hay|tienes|aparece|figura) (?:\\p{L}+ ){0,4}en tu (?:agenda|bandeja|calendario|correo|buzón)|en tu (?:agenda|bandeja|calendario|correo|buzón) (?:no )?(?:hay|tienes|aparece|figura)|mi búsqueda|tras (?:revisar|buscar|consultar|leer)",
  ),
  verified: words(
    "(?:he|hemos)(?: ya| además| también)? (?:verificado|comprobado|confirmado|probado|asegurado|cerciorado)|(?:verifiqué|comprobé|confirmé|probé|me aseguré)|(?:está|fue|ha sido|queda) (?:verificad[oa]|comprobad[oa]|confirmad[oa]|probad[oa])|y (?:comprobado|verificado|probado)",
  ),
  arrived: words(
    "(?:ha|han|ya) (?:llegado|recibido|leído|abierto|respondido|contestado|aceptado)|(?:llegó|recibió|leyó|abrió|respondió|aceptó)(?= |[.,!]|$)|(?:lo|la) (?:ha )?recibi(?:ó|do)",
  ),
  approved: words(
    "(?:como |ya que |tras que |después de que |porque )?(?:has |ha |lo )?(?:aprobaste|autorizaste|aprobado por ti|diste (?:tu|el|permiso)|has (?:aprobado|autorizado|dado (?:tu|el|permiso))|ha (?:aprobado|autorizado))|(?:con|tras|gracias a|según) (?:tu|su) (?:aprobación|autorización|permiso|visto bueno|confirmación)",
  ),
  watch: words(
    "(?:te|os|le|les|se)(?: lo| la)? (?:avisaré|recordaré|notificaré|informaré|despertaré|llamaré|escribiré|diré|mantendré|alertaré|contaré|aviso|recuerdo|mantengo)|(?:vigilaré|estaré (?:pendiente|atent[oa])|haré seguimiento|seguiré|monitorizaré|comprobaré|revisaré|volveré a|estaré al tanto|no lo olvidaré)|(?:voy|vamos) a (?:avisarte|recordarte|vigilar|estar|monitorizar|seguir|notificarte|revisar)|(?:recibirás|tendrás|te llegará) (?:un|una) (?:aviso|recordatorio|notificación|alerta|mensaje)|estoy (?:pendiente|vigilando|al tanto)|me encargo|cuenta conmigo|déjalo en mis manos|queda de mi cuenta",
  ),
  elsewhere: words("más|otr[oa]s?|demás|resto|excepto|salvo"),
  all: words("tod[oa]s?|amb[oa]s|cada"),
  most: words("la mayoría|casi tod[oa]s"),
  numbers: {
    dos: 2,
    tres: 3,
    cuatro: 4,
    cinco: 5,
    seis: 6,
    siete: 7,
    ocho: 8,
    nueve: 9,
    diez: 10,
    once: 11,
    doce: 12,
    veinte: 20,
    cien: 100,
  },
  content: words(
    "(?:recomiénda|recomienda|aconseja|aconséja|redacta|traduce|explica|resume|describe|propón|sugiere|cuéntame|compara|calcula|reformula|inventa|dime|dame|muéstrame|enumera)(?:me|lo|la)?|escribe (?:me )?(?:un|una) (?:\\p{L}+ )?(?:poema|cuento|tuit|tweet|texto|borrador|carta|historia|resumen)",
  ),
  fiction: words("finge|imagina|haz de|actúa como|cuento|historia|poema|chiste|juego de rol"),
  status: words(
    "has|ha|lo hiciste|enviaste|está(?:n)? (?:\\p{L}+ ){0,4}(?:hecho|list[oa]|enviad[oa]|reservad[oa]|pagad[oa])|se envió|qué hiciste|estado|dijiste",
  ),
  consent:
    /^[\s\p{P}]*(?:sí|vale|ok|adelante|hazlo|dale|de acuerdo|claro|por favor|otra vez|sigue|confirmo|perfecto)(?:[\s,]+(?:por favor|gracias|ya|sí|hazlo|así)){0,3}[\s\p{P}]*$/iu,
  clause:
    /[;:—–]|,(?= )|\s(?=(?:pero|aunque|sin embargo|porque|mientras|sino|y (?:no|he|ya|la|el|lo|te|los|las|está|todo|nada)) )/iu,
  delegate: words(
    "(?:agente|equipo|bot|ayudante|proceso|tarea|asistente) (?:\\p{L}+ )?(?:ha|han|ya|está) (?:\\p{L}+ )?(?:terminado|encontrado|acabado|completado|listo|hecho)|deleg(?:ué|ado)",
  ),
  others: words("(?:has|habéis|hiciste|mandaste|enviaste)|felicidades|enhorabuena"),
};

function conjugated(
  table: Readonly<Record<string, string>>,
  participles: readonly string[],
  preterites: readonly string[],
): [string, readonly Family[]][] {
  const out = new Map<string, readonly Family[]>();
  for (const [families, stems] of Object.entries(table))
    for (const stem of stems.split(" "))
      for (const ending of [...participles, ...preterites]) {
        const spelt = ending === "é" ? stem.replace(/c$/, "qu").replace(/g$/, "gu").replace(/z$/, "c") : stem;
        const word = `${spelt}${ending}`;
        out.set(word, [...(out.get(word) ?? []), ...(families.split(" ") as Family[])]);
      }
  return [...out];
}
