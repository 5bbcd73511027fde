/** Whether a clause that is negated takes back what was wished for before it: "no wait", "don't". */
export function takesBack(text: string): boolean {
  const bare = text.replace(BUT, "");
  return TAKES_BACK.test(bare) || NOT_THAT.test(bare);
}

const BUT =
  /^(?:but|yet|aber|doch|jedoch|pero|mais|ma|però|mas|maar|ale|但是?|不过|可是|でも|ただし|ただ)[\s,，、]*/iu;

/** An order that is negated behind its verb or by a word of its own: "schick sie noch nicht ab", "ne l'envoie pas". */
const NOT_THAT =
  /^\p{Ll}+ (?:sie|es|ihn|das|ihm|ihr|ihnen|het|hem|ze|dit|dat) (?:\p{L}+ ){0,3}(?:nicht|nie|niemals|niet|nooit)(?!\p{L})|^(?:ne |n')|^(?:non|não) (?:l[oaei]|gli|mi|[oa]s?|lhe) |^nie (?!ma |było )\p{Ll}+/u;

const TAKES_BACK =
  /^(?:no\b|don'?t|do not|never ?mind|not yet|stop|wait|nein|doch nicht|lieber nicht|nicht|warte|halt|no[,.! ]|mejor no|espera|non|attends|laisse|finalement|不|别|算了|やめ|やっぱ|待っ)/iu;
