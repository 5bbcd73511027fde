import type { RequestWords } from "./words.ts";

export const ES: RequestWords = {
  position: "first",
  endings:
    "(?:es|as|ues|(?:a|e|ar|er|ir|en)(?:me|nos|te|l[aoe]s?|se|sel[oa]s?|mel[oa]s?)?|(?:[aáeéií])(?:me|nos|te|l[aoe]s?|sel[oa]s?|mel[oa]s?))",
  verbs: {
    write:
      "cre~ cré~ añad~ añád~ agreg~ agrég~ guard~ guárd~ anot~ anót~ apunt~ apúnt~ registr~ regístr~ insert~ actualiz~ actualíz~ modific~ cambi~ cámbi~ edit~ ajust~ asign~ etiquet~ marc~ márc~ reemplaz~ configur~ activ~ desactiv~ arregl~ arrégl~ correg~ corrig~ corríg~ organiz~ orden~ pon pon(?:me|lo|la|le|er|gas) met~ rellen~ recuerda_que firm~ cierra_(?:la|el|los|las)_(?:incidencia|tarea|ticket|issue)\\p{L}*",
    delete:
      "elimin~ elimín~ borr~ bórr~ quit~ quít~ vac[ií]~ limpi~ límpi~ desinstal~ revoc~ cancel~ cancél~ anul~ anúl~ desuscrib~ tir~ da(?:me|te)?_de_baja bloque~",
    move: "muev~ muév~ mov~ renombr~ archiv~ archív~ copi~ cópi~ descarg~ descárg~ sub~ súb~ sincroniz~ import~ export~ pas(?:a|ar)_\\S*\\.\\p{L}\\S*_a pas(?:a|ar)_(?:el|la|los|las|mi|mis)_.*_a respald~ haz_una_copia.* duplic~",
    send: "coment(?:a|ar|e)_(?:\\S+_){0,3}?(?:issue|ticket|pr|pull_request|hilo|incidencia|post|card|discussion|\\S*#\\d+) preg[uú]nta(?:le|r|rle)?_a env[ií]~ mand~ mánd~ reenv[ií]~ contest~ contést~ respond~ respónd~ public~ publíc~ publiqu~ notific~ notifíc~ avis~ avís~ inform~ infórm~ comunic~ compart~ compárt~ invit~ invít~ llam~ llám~ dile decirle diles escr[ií]bele escribirle escr[ií]b(?:e|ir)_a acept~ rechaz~ confirm(?:a|ar)_(?:la|el|mi)",
    draft: "escrib~ escríb~ redact~ redáct~",
    pay: "pag~ pág~ transfier~ transfiér~ transferir compr~ cómpr~ encarg~ encárg~ p[ií]d~ ped(?:ir|irme) don~ reembols~ haz_(?:un|una)_(?:transferencia|bizum|pedido).*",
    schedule:
      "program~ prográm~ agend~ agénd~ reserv~ resérv~ recuérda(?:me|nos|le) recordar(?:me|nos|le) recuerda_(?:a|me) despiért~ despert~ planific~ aplaz~ retras~ adelant~ reprogram~ vigil~ pon(?:me|er)?_(?:una?_)?(?:alarma|temporizador|recordatorio).* queda_con concert~",
    run: "ejecut~ ejecút~ inici~ inicí~ reinici~ reinicí~ par~ deten detener lanz~ arranc~ despli[eé]g~ desplegar instal~ fusion~ haz_(?:un_)?(?:commit|push|merge|deploy).* compil~",
    control:
      "apag~ apág~ enciend~ enciénd~ encend(?:er) sub(?:e|ir)_(?:la|el)_(?:calefacción|volumen|persianas?|temperatura).* baj(?:a|ar)_(?:la|el|las)_.* cierr~ ciérr~ cerrar reabr~ abr~ ábr~ reproduc~ imprim~ imprím~ paus~ bloque(?:a|ar)_la_puerta pon_(?:música|la_\\p{L}+|el_\\p{L}+)",
    look: "revis~ revís~ mir~ mír~ busc~ búsc~ busqu~ le(?:e|er|élo|éme) comprueb~ comprob~ consult~ consúlt~ encuentr~ encuéntr~ verific~ averigu~ échale_un_vistazo_a",
  },
  lead: "(?:en|dentro de) (?:\\d+|una?|media|dos|tres|cinco|diez|veinte) (?:minutos?|horas?|días?|semanas?)|a las? \\d{1,2}(?::\\d{2})?|por favor|porfa|ahora|luego|ok|oye|hola|elwood|sí|vale|bueno|también|y|pero|(?:me |nos |le )?(?:puedes|podrías|podés|puede|podría)|quiero que|necesito que|ayúdame a|mañana|hoy|esta noche|primero|después|me|nos|[-*•]|\\d+[.)]",
  noun: "(?:reserva|compra|nota|marca|orden|copia|llamada|firma|archivo|programa|lista|cambio|cambios|pago)(?: (?:de|del|para|por|en)(?![\\p{L}])|\\s*:|$)",
  said: "(?:yo|tú|él|ella|nosotros|ellos|el|la|los|las|un|una|mi|mis|he|ha|han|has|hemos|ya|me (?!puedes|podrías)\\p{L}+(?:é|í|ó)|se|está|están|\\p{L}{3,}(?:é|ó))(?![\\p{L}])",
  tell: "respond(?:e|er)_(?:solo|sólo|con|en) añade_que recomiénd~ recomiend~ aconsej~ aconséj~ traduc~ tradúc~ explic~ explíc~ resum~ resúm~ describ~ propón proponer sug[ií]er~ cuént~ cuent~ compar~ compár~ calcul~ calcúl~ reformul~ invent~ dime decirme dame darme muéstr~ enumer~ list~ analiz~ simplific~ acort~ mejor~ haz(?:lo|me|la)? elig~ adivin~ continú~ pasa_(?:esto|lo)? pásalo corr[ií]ge(?:me)?_(?:esta|este|la|el)_(?:frase|texto|párrafo|redacción) ponlo_(?:más|en) conviert~",
  fiction: "finge|imagina que|haz de|actúa como|juego de rol|eres (?:un|una)|juguemos",
  text: "párrafos?|frases?|líneas?|filas?|columnas?|tabla|tono|título|función|poema|cuento|microcuento|chiste|discurso|tuit|tweet|receta|esquema|resumen|rutina|checklist|plantilla|mensaje de commit|carta de presentación|gramática|ortografía|comas?|saludo|introducción|ejemplos?|ideas?|est[ea] (?:lista|texto|código)|tu (?:respuesta|versión|texto)|repetid[oa]s|duplicados de|plan de|pros y contras|eslogan|emojis?|la parte|palabras",
  place:
    "(?:mis?|nuestr[oa]s?|el|la|los|las|al|del|tus?|su) (?:\\p{L}+ )?(?:calendario|agenda|bandeja(?: de entrada)?|correos?|notas?|archivos?|carpetas?|disco|repo(?:sitorio)?|rama|servidor|base de datos|hoja(?: de cálculo)?|cuenta|saldo|banco|lista(?: de la compra| de tareas)?|escritorio|descargas|documentos|fotos|mensajes|web|página|ordenador|móvil|contactos|playlist|pedidos?|tareas|citas?|reuniones|facturas?|papelera|suscripción|paquete|nevera|carrito|registro|logs?)|correos|internet|en línea|el tiempo|noticias|vuelos?|sin leer|tráfico|horario de|tipo de cambio|(?:a|en) (?:la )?lista",
  ofYou:
    "has \\p{L}+(?:[ai]do|cho|to)|\\p{L}+[ai]ste(?:is)?|ya (?:está|se|has|lo|la)|(?:está|están|ha|han|se) (?:mi|el|la|las|los) |se (?:ha )?(?:envi|mand|guard|borr|pag|hizo|complet|reserv)\\p{L}*|qué has hecho|ha (?:llegado|salido|terminado|funcionado|ido)",
  status:
    "está(?:n)? (?:\\p{L}+ ){0,4}(?:hecho|list[oa]|enviad[oa]|reservad[oa]|pagad[oa])|qué hiciste|estado de|dijiste|qué (?:tal fue|pasó)|cómo va|novedades|sigue (?:en marcha|corriendo)|lo hiciste",
  consent:
    "(?:sí|si|vale|ok|adelante|hazlo|dale|de acuerdo|claro|por favor|otra vez|sigue|confirmo|perfecto|apruebo|aprobado|me parece bien|está bien|correcto|por supuesto|venga|continúa|confirmado)(?:[\\s,.!]+(?:por favor|gracias|ya|sí|hazlo|así|que|adelante|dale|claro|perfecto|de acuerdo)){0,4}",
  refusal:
    "(?:no|para|déjalo|mejor no|olvídalo|ahora no|todavía no)(?:[\\s,.!]+(?:gracias|por favor|déjalo|lo|hagas|mejor|no|así|eso)){0,4}",
  not: "(?:no|nunca|no hace falta|no hace falta que|no es necesario|no necesitas|mejor no|todavía no)(?: (?:me|le|les|lo|la|los|las|se|te|nos))*",
  asks: "(?:a |de |en |con |por )?(?:qué|quién|quiénes|cuál|cuáles|cómo|cuándo|dónde|cuánto\\p{L}?|cuánta\\p{L}?)|por qué|es|está|están|hay|tengo|puedo|debo|debería|hace falta|se puede|qué tal",
  how: "por qué|cómo (?!va|fue|quedó|está el|va a estar)|qué (?:es|son|significa|pasa si|pasaría|hago)|puedo|debo|debería|es (?:mejor|malo|normal|seguro)|se puede",
  and: " (?:y(?! media| cuarto)|e|luego|después|pero) ",
};
