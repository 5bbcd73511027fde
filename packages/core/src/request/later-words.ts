// Words by which something is wished for another time.

export const OPENS_WITH_TIME =
  /^(?:(?:please|bitte|por favor|s'il te plaît),?\s)?(?:(?:on|am|el|le|il|op|w)\s)?(?:tomorrow|next \p{L}+|(?:nächste[nrms]?|kommende[nrms]?) \p{L}+|morgen|übermorgen|mañana|pasado mañana|la semana que viene|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|demain|après-demain|la semaine prochaine|domani|amanhã|jutro|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|volgende \p{L}+)(?!\p{L})|^(?:请)?(?:明天|后天|下周|下个月|下星期)|^(?:明日|来週|来月|あさって)/iu;

export const ENDS_LATER =
  /(?<!(?:of|from|for|about|on|von|für|über|de|du|del|della|di|van|voor|para|pour)\s)(?<!\p{L})(?:next (?:week|month|year)|later|(?:nächste|kommende)[nmrs]? (?:woche|monat|jahr)|später|la semana que viene|el mes que viene|más tarde|la semaine prochaine|le mois prochain|plus tard|la settimana prossima|più tardi|volgende (?:week|maand)|mais tarde|później)\s*[.!]*$/iu;

export const LATER =
  /(?<!\p{L})(?:next|coming|following) (?:week|month|year)|(?<!\p{L})(?:later|(?:nächste|kommende)[nmrs]? (?:woche|monat|jahr)|später|(?:la |el )?(?:semana|mes|año) (?:que viene|próxim[oa])|(?:próxim[oa]) (?:semana|mes|año)|más tarde|(?:semaine|mois|an|année) prochaine?|plus tard|(?:settimana|mese) prossim[oa]|più tardi|mais tarde|volgende (?:week|maand)|później)(?!\p{L})|下个?月|下周|下星期|明年|以后|稍后|来月|来週|来年|後で/iu;
