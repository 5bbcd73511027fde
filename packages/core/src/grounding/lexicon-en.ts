import { IMPERATIVE, isImperative } from "./imperative.ts";
import { list, verbAfter, verbs, words, wordsOf, type Lexicon, type Told } from "./lexicon.ts";
import type { Family } from "./tool-fit.ts";

const PAST = verbs({
  send: "sent emailed e-mailed mailed messaged texted forwarded replied responded posted notified told pinged informed alerted delivered tweeted announced dispatched dropped contacted rang phoned dmed submitted briefed relayed",
  "share send": "shared invited",
  share: "gave given granted",
  create:
    "created added made put opened registered logged recorded noted saved stored jotted entered appended inserted generated built filed wrote written drew remembered memorized memorised captured pinned bookmarked queued",
  update:
    "updated edited moved renamed changed modified adjusted rescheduled shifted assigned labelled labeled tagged marked converted fixed replaced swapped corrected extended patched configured enabled disabled increased reduced lowered raised set organised organized sorted tweaked restored refreshed amended revised flipped bumped reset",
  delete:
    "deleted removed dropped cleared erased wiped purged trashed emptied uninstalled revoked cleaned tidied scrapped binned",
  cancel: "cancelled canceled terminated scrapped",
  unsubscribe: "unsubscribed",
  archive: "archived",
  "book order": "booked reserved secured",
  "order book pay": "ordered bought purchased placed",
  "pay cancel": "refunded",
  pay: "paid transferred wired donated charged settled",
  "schedule create": "scheduled arranged",
  "deploy update": "rolled undid undone",
  deploy: "deployed released shipped launched promoted",
  "send deploy create": "published",
  git: "merged committed rebased reverted",
  "git update": "pushed",
  "run device": "ran executed started restarted stopped triggered kicked rebooted paused resumed killed",
  device: "turned switched locked unlocked dimmed armed played",
  close: "closed resolved completed ticked wrapped",
  sign: "signed accepted declined rejected",
  "install update": "installed upgraded",
  backup: "backed exported took taken",
  transfer: "uploaded downloaded synced imported copied duplicated",
  print: "printed",
  done: "did done handled finished actioned processed implemented applied completed",
});
const BASE = verbs({
  send: "send email mail message text forward reply respond post notify tell ping inform alert deliver tweet announce contact submit call",
  "share send": "share invite",
  share: "give grant",
  create:
    "create add put open register log record note save store enter append insert file remember upload import track",
  update:
    "update edit move rename change modify adjust reschedule shift assign label tag mark convert fix replace swap set patch configure enable disable increase reduce lower raise organise organize sort restore turn switch put sync tidy clean lock unlock dim play pause prepare",
  device: "turn switch set put lock unlock dim play pause start stop",
  delete: "delete remove drop clear erase wipe purge trash empty uninstall revoke clean",
  cancel: "cancel",
  unsubscribe: "unsubscribe",
  archive: "archive",
  "book order": "book reserve",
  "order book pay": "order buy purchase place get",
  pay: "pay transfer wire donate refund",
  "schedule remind create": "schedule arrange",
  remind: "remind wake monitor watch",
  deploy: "deploy release ship roll launch publish",
  git: "merge commit push rebase revert tag",
  run: "run execute start restart stop trigger reboot back do",
  close: "close resolve complete finish",
  sign: "sign accept decline reject",
  install: "install upgrade",
  backup: "back backup export",
  transfer: "upload download sync import copy",
  print: "print",
});
const ADVERBS = list(
  "just also now already then successfully gone went ahead and quickly promptly duly finally even actually simply both all safely immediately hereby only recently since personally at once it have been so",
);
/** Regular past forms of the mind, the mouth and the page: nothing in the world changes by them. */
const NOT_DEEDS = list(
  "assumed noticed understood wanted tried believed hoped mentioned suggested misunderstood learned learnt enjoyed summarised summarized drafted translated compared explained described outlined included worked used guessed missed considered reviewed checked looked searched read verified confirmed tested examined scanned inspected found needed asked expected loved liked decided planned intended promised claimed stated apologized apologised provided offered attempted failed wished appreciated preferred supposed realized realised imagined listed counted calculated computed estimated assessed analysed analyzed researched recommended agreed thought knew saw heard meant said felt got had was could would should trained based designed talked discussed rounded bounced stayed kept limited sounded wondered fetched pulled retrieved queried visited loaded browsed parsed skimmed studied located needed required interested related allowed supported called named known expected limited supposed concerned located licensed dedicated advanced detailed complicated excited delighted pleased tired married honored",
);
const AUX = list(
  "has have been is are was were am be being did does do can will would could should i'm it's that's there's i'll you're isn't",
);

export const EN: Lexicon = {
  told(clause) {
    const out: Told[] = [];
    const first = verbAfter(clause, {
      after: /(?<![\p{L}'])(?:i|we)(?:'ve|'d| have| had)? /iu,
      gapMax: 5,
      gap: ADVERBS,
      known: PAST,
      form: /^\p{L}{3,}ed$/u,
      notDeeds: NOT_DEEDS,
    });
    if (first) out.push({ families: first, voice: "first" });
    if (first || /(?<![\p{L}'])(?:i|we)(?: |')/iu.test(clause))
      for (const match of clause.matchAll(
        /(?:, | and | then | & ){1,2}(?:then |also |have |just )?([a-z-]{3,20})(?![\p{L}'])/giu,
      )) {
        const families = PAST.get((match[1] ?? "").toLowerCase());
        if (families && first) out.push({ families, voice: "first" });
      }
    const passive =
      /(?<![\p{L}])(?:(?:has|have|had)(?: now| just| already| all| both)? been|is|are|was|were|(?:it|that|all|you|everything|they)'(?:s|re)(?: been)?|got|gets) /giu;
    for (const match of clause.matchAll(passive)) {
      const rest = wordsOf(
        clause.slice(match.index + match[0].length, match.index + match[0].length + 60),
      ).slice(0, 4);
      for (const word of rest) {
        const lower = word.toLowerCase();
        const families =
          PAST.get(lower) ??
          (/^\p{L}{3,}ed$/u.test(lower) && !NOT_DEEDS.has(lower) ? (["any"] as const) : undefined);
        if (families) {
          out.push({ families, voice: "stated" });
          break;
        }
        if (!ADVERBS.has(lower) && !lower.endsWith("ly")) break;
      }
    }
    if (out.length === 0) out.push(...bare(clause));
    return out;
  },
  deeds(clause) {
    const extra: Readonly<Record<string, Family>> = {
      went: "any",
      happened: "any",
      changes: "update",
      ran: "any",
    };
    return wordsOf(clause.toLowerCase()).flatMap((word) => [
      ...(PAST.get(word) ?? BASE.get(word) ?? []),
      ...(extra[word] === undefined ? [] : [extra[word]]),
    ]);
  },
  announced(clause) {
    const later = verbAfter(clause, {
      after:
        /(?<![\p{L}'])(?:i|we)(?:'ll| will| shall|'m (?:going|about) to| am (?:going|about) to)(?: be)? /iu,
      gapMax: 3,
      gap: list(
        "now then also just go ahead and get make sure to definitely certainly immediately right away",
      ),
      known: BASE,
    });
    if (later) return later;
    const passive =
      /(?<!\p{L})(?:will|'ll)(?: then| now| automatically)? (?:be ([a-z]{3,15})|go out)(?!\p{L})/iu.exec(
        clause,
      );
    if (passive) return passive[1] === undefined ? ["send"] : (PAST.get(passive[1].toLowerCase()) ?? []);
    const going =
      /(?<![\p{L}'])(?:i'm|i am|we're|we are)(?: now| currently| just| already)? ([a-z]{3,15})ing(?!\p{L})/iu.exec(
        clause,
      );
    const stem = going?.[1]?.toLowerCase() ?? "";
    return (
      BASE.get(stem) ??
      BASE.get(`${stem}e`) ??
      (/(.)\1$/.test(stem) ? (BASE.get(stem.slice(0, -1)) ?? []) : [])
    );
  },
  asked(ownerWords) {
    const found: Family[] =
      /(?<!\p{L})(?:let|keep|make sure) \p{L}+(?: \p{L}+)? (?:know|posted|knows)(?!\p{L})/iu.test(ownerWords)
        ? ["send"]
        : [];
    for (const sentence of ownerWords.split(/[.!?\n;]|,? (?:and|then|or) |, /u).slice(0, 40)) {
      const lead =
        /^[\s"'(-]*(?:(?:please|pls|now|then|ok|okay|hey|hi|elwood|also|just|great|yes|sure|go ahead and|could you|can you|would you|will you|i need you to|i want you to|i'd like you to|would you mind|let's|you should|make sure to|don't forget to|try to|when \S+ \S+)[\s,:]+)*([a-z-]+)/iu.exec(
          sentence,
        );
      const families = BASE.get((lead?.[1] ?? "").toLowerCase());
      if (families) found.push(...families);
      else if (
        isImperative(
          lead?.[1] === undefined ? "" : sentence.slice((lead.index ?? 0) + lead[0].length - lead[1].length),
          IMPERATIVE.en,
        )
      )
        found.push("any");
    }
    return found.length > 0 ? found : undefined;
  },
  done: words(
    "(?:all|you're|you are|we're|we are) (?:now )?(?:all )?(?:set|done|sorted|good to go|squared away)|consider (?:it|that|this) (?:\\w+ )?(?:done|sent|handled|sorted|booked)|^(?:and )?(?:all )?done|(?:it|that|this|everything|all)(?:'s| is| has been|'s been| was| are) (?:now |all |been |already )*(?:done|handled|sorted(?: out)?|taken care of|in place|squared away|finished|complete|completed|ready to go|dealt with|covered|wrapped up|good to go|live|up and running|under control|locked in|a go|good|settled|ticked off)|mission accomplished|job done|taken care of|took care of|all sorted|all set|did it|^(?:easy|bam|boom|voil[aà]|ta-?da|sorted|success|completed?|finished|handled|actioned)(?= |[!.—–-]|$)|went through|in the bag|squared away|(?:one|1) (?:less|fewer) thing|nothing (?:left|more) (?:for you )?to do|off your (?:plate|list)|you can (?:relax|cross (?:it|that|this) off)|that'?s that|is (?:now )?in effect|(?:is|are) (?:now )?no longer (?:there|active|in|on|visible)|on it|has a home",
  ),
  underway: words(
    "(?:went|gone|is|are|'s|has gone|have gone|goes|it's) (?:now |already |safely )?out(?: the door| to)?|(?:is|are|'s|'re) (?:now |already )?(?:on (?:its|their|the|his|her) way|with (?:them|him|her|\\p{Lu}\\p{L}+)|in (?:their|his|her|the) (?:inbox|hands|mailbox))|(?:should|will|must) (?:now )?(?:have|get|see|receive) (?:it|them|the \\p{L}+|your \\p{L}+|that|this)|(?:now )?(?:knows?|is aware|are aware|has been told|is in the loop|are in the loop|is up to speed|has (?:it|them|the \\p{L}+|your \\p{L}+))(?= about| that| now|[.!,]|$)|is (?:now )?in (?:your|the) (?:calendar|notes|list|diary)|should (?:now )?be (?:in|on) your|(?:is|are) (?:now |both |all |already )*on (?:your|the) (?:calendar|list|schedule|agenda|books)|is expecting you",
  ),
  question: /\?\s*["')\]*_]*\s*$/u,
  safe: words(
    "shall i|should i|do you want|would you like|want me to|let me know|tell me|i can(?:not|'t)?|i could|i would|i'd|happy to|glad to|feel free|if (?:you|i|it|that|we|the|they|there|this)|unless|once you|as soon as you|when you(?:'re| are)? (?:confirm|approve|say|ready|give|tell|send|share|reply|let|want|like|need)|after you (?:confirm|approve)|please|you (?:can|could|should|may|might|need|would|will need)|i(?:'ll)? need|i (?:don't|do not) have|i am not able|here(?:'s| is| are)|here you go|below|draft|suggest|recommend|could you|can you|would you|which|i'm able|would (?:have|be|need|require|look|mean|cost)|might|try|make sure|consider (?!it|that|this)\\p{L}+|sorry|apologi[sz]e|without|instead|for example|e\\.g\\.|needs? (?:your|an?|the|to)|requires?|to do (?:that|this|so)|just say|say the word|sounds? (?:good|great|fun|like)|in general|usually|typically|imagine|suppose|hypothetically",
  ),
  condition: words(
    "once|whenever|if (?:you|i|it|that|we|the|they|there|this)|unless|once you|as soon as you|when you(?:'re| are)? \\p{L}+|after you|until you|just say|say the word|with your (?:approval|ok|okay|go-ahead)|before i|first",
  ),
  negative: words(
    "no|not|nothing|never|none|nobody|neither|nor|cannot|\\p{L}+n't|unable|only looked|left (?:it )?(?:alone|untouched|as it was|unchanged)|unchanged|untouched|instead of|rather than|hardly|yet to",
  ),
  nothing: words(
    "nothing(?! else| more| further)|(?:not|n't|haven't|hasn't|didn't)(?: \\p{L}+){0,3} any(?:thing|one|body)?(?! else| more| further| other)|no (?:changes?|action|calls?|messages?|e-?mails?|payments?|files?|orders?|events?)(?! needed| required)|none of (?:it|them|that)|only looked|unchanged|untouched|left (?:it |everything )?(?:alone|as it was)",
  ),
  failed: words(
    "fail(?:s|ed|ure)?|error(?:s|ed)?|refused|bounced|rejected|timed out|time-?out|couldn't|could not|wasn't able|was not able|weren't able|unable|did(?:n't| not) (?:work|succeed|go through|complete|make it|happen|get)|didn't|did not|crash(?:ed)?|offline|unreachable|unsuccessful|denied|declined|(?:was|got|been|is) blocked by|hit a snag|went wrong|problem|stuck|out of (?:luck|order)|unavailable|broke(?:n)?|gave up|no luck|not (?:sent|done|booked|created|deleted|made|posted|saved|completed|started)",
  ),
  tried: words(
    "i (?:have |'ve )?(?:tried|attempted)|i've (?:tried|attempted)|my attempt|on my (?:first|second|third) (?:try|attempt)|(?:call|request|attempt) (?:failed|timed out|was refused)",
  ),
  pending: words(
    "(?:is|are|it's|still|now|sits?|sitting)? ?(?:waiting|awaiting|waits|awaits|pending|parked|on hold|queued)(?: for| on)?(?: your| you)?|(?:when|once|as soon as|after|until|if) you(?:'ve| have)? (?:approve|confirm|ok|okay|sign off|give|allow|say|accept|tap|press)d?|(?:needs?|require[sd]?|requires?) (?:your|an?) (?:approval|ok|okay|confirmation|go-ahead|permission|sign-?off)|(?:still |up )?to you(?:r| to)|not yet|hasn't (?:run|happened|gone|been)",
  ),
  declined: words(
    "you (?:declined|denied|refused|rejected|said no|turned (?:it|that) down|did(?:n't| not) (?:approve|allow))|(?:was|were|been) (?:declined|denied)(?: by you)?|your (?:refusal|denial)",
  ),
  expired: words("(?:approval|request|it|permission)(?: request)? (?:has |had )?(?:expired|lapsed|ran out)"),
  unsure: words(
    "(?:may|might|could) (?:or may not )?(?:have|already|be)|(?:not|n't) (?:sure|certain|clear|know|confirm(?:ed)?|tell|say|verif(?:y|ied)|see)|cannot (?:confirm|tell|say|verify|be sure)|un(?:clear|known|confirmed|certain|verified)|no (?:result|answer|response|reply|receipt|record|confirmation|word)|never (?:heard|got|came) back|lost (?:the )?connection|please check|i don't know|possibly|no way to (?:know|tell)",
  ),
  retract: words(
    "just kidding|no receipts? for|(?:did|has|have) not (?:actually )?happen(?:ed)?|(?:did|has|have)n't (?:actually )?happen(?:ed)?|(?:was|were) wrong to|not true|i take (?:it|that) back|most likely did not|i misspoke|(?:only|just) (?:pretending|playing|an example|a simulation|a joke)|joking|in (?:the|this) (?:story|example|scenario)|not actually|never actually|i was mistaken|(?:that|it) was(?:n't| not) (?:right|correct|true|accurate)",
  ),
  ack: /^(?:ok(?:ay)?|sure(?: thing)?|of course|got it|great|alright|all right|understood|thanks?(?: you)?|you're welcome|no problem|absolutely|certainly|perfect|hi|hello|hey|yes|no|right|nice|cool|will do|noted|good (?:morning|evening|night)|\p{Extended_Pictographic}|[\s\p{P}])*$/iu,
  looked: words(
    "you (?:have|'ve got|have got) (?:no|one|two|three|four|five|\\d{1,3}|a|an|several|some)(?: \\p{L}+){0,2} (?:meetings?|events?|e-?mails?|messages?|appointments?|tasks?|reminders?|invoices?|calls?)|i(?:'ve| have)?(?: just| also| quickly| already| now| went ahead and)* (?:checked|looked|searched|reviewed|read|scanned|examined|inspected|browsed|consulted|googled|found|pulled up|went (?:through|over)|gone (?:through|over)|dug|queried|fetched|opened|visited|skimmed|listened|watched|analy[sz]ed|counted|compared|saw|ran a (?:search|query|check)|had a look|took a look|combed|audited|researched|scoured|studied|parsed|retrieved|loaded)|after (?:checking|looking|searching|reviewing|reading|going through|a (?:quick )?(?:search|look|check))|(?:my|a (?:quick )?) ?(?:search|look-?up|check|review|scan)(?: of \\p{L}+ \\p{L}+)? (?:shows?|showed|found|turned up|says|returned|reveals?|confirms?|came back)|(?:looking at|according to|based on|judging by|going by|from) (?:your|the) (?:\\p{L}+ )?(?:calendar|inbox|e-?mails?|mailbox|messages|files?|notes|logs?|repo(?:sitory)?|document|spreadsheet|report|website|site|page|database|records?)|your (?:calendar|inbox|mailbox|schedule|notes|bank|account|files?|folder|to-?do list|balance)(?: \\p{L}+)? (?:is|are|has|have|shows?|says|contains?|looks?)|(?:is|are|'s)(?: nothing| no \\p{L}+)? (?:in|on) your (?:calendar|inbox|mailbox|notes|files|account)|(?:latest|live|current|today's) (?:data|numbers|figures|results|reports?) (?:shows?|says?|is|are)",
  ),
  verified: words(
    "(?:verified|double-?checked|validated|made sure|confirmed (?:that|it|delivery|receipt|with))|(?:i|we)(?:'ve| have)?(?: also| just| then)* (?:verified|double-?checked|confirmed|validated|made sure|ensured|tested|checked (?:that|it|afterwards|again))|(?:is|was|been|are) (?:verified|validated|tested)|works? (?:perfectly|fine|as expected|now)|tested and|checked and",
  ),
  arrived: words(
    "(?:has |have |was |were |been |it |already |safely )+(?:arrived|received|read|opened|seen|acknowledged|landed)|(?:she|he|they|(?!i(?!\\p{L}))\\p{L}+) (?:has |have |already )?(?:received|got|read|opened|confirmed(?: receipt)?|acknowledged|replied|accepted|answered) (?:it|the|your|my|that)|was delivered|delivery confirmed",
  ),
  approved: words(
    "(?:as |since |after |because |now that |like )?you(?:'ve| have)?(?: already| just)? (?:approved|authori[sz]ed|gave (?:me )?(?:your |the )?(?:approval|ok|okay|permission|go-ahead|green light|consent)|signed off|allowed|ok'?d|okayed|consented|gave the nod)|(?:with|per|following|given|on|thanks to) your (?:approval|permission|go-ahead|ok|okay|consent|authori[sz]ation|blessing|green light)|your approval (?:came|was received|is in)|approved by you",
  ),
  watch: words(
    "(?:i|we)(?:'ll| will|'m going to| am going to| shall)(?: also| then| definitely| be sure to| make sure to)* (?:remind|ping|alert|notify|let you know|keep (?:an eye|you (?:posted|updated|informed)|watch|track|checking|monitoring)|watch|monitor|check (?:back|in|again|on|every|it)|follow up|report back|get back|update you|wake|track|nudge|warn|look again|try again|retry|come back|circle back|message you|text you|email you|tell you|call you|be (?:back|watching|monitoring|checking|keeping)|keep)|you(?:'ll| will) (?:get|receive|hear|be (?:notified|reminded|alerted)|see) (?:a |an |the )?(?:reminder|notification|alert|ping|from me|nudge|message|update|when|once|at|tomorrow|by)|(?:i'm|i am|we're) (?:now )?(?:monitoring|watching|keeping (?:an eye|track|watch)|tracking)|reminder(?: is)? (?:set|in place|scheduled)|rest assured|leave it (?:to|with) me|i've got (?:this|it|you)(?: covered)?|count on me|i won't forget",
  ),
  elsewhere: words("else|other|others|further|more|rest|besides|apart from|except"),
  all: words("all(?! set)|every(?:one|body|thing)?|both|each|the whole"),
  most: words("most|majority|nearly all|almost all"),
  numbers: {
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    eleven: 11,
    twelve: 12,
    dozen: 12,
    twenty: 20,
    hundred: 100,
    couple: 2,
  },
  content: words(
    "(?:write|draft|compose|translate|rewrite|rephrase|paraphrase|summari[sz]e|explain|describe|suggest|brainstorm|recommend|proofread|outline|imagine|say|calculate|convert|define|compare|give me|show me|tell me|list|name|invent|generate|make (?:me )?(?:a |an |up )?(?:\\p{L}+ )?(?:list|plan|table|story|poem|joke|summary|outline|quiz|recipe|schedule))",
  ),
  fiction: words(
    "pretend|role-?play|act as|story|imagine|poem|song|joke|tale|you are (?:a|an) |play the|fiction|novel|screenplay|dialogue|simulate",
  ),
  status: words(
    "did you|have you|has (?:it|the|my|that)|is (?:it|that|the|my|everything) (?:\\p{L}+ ){0,4}(?:done|sent|booked|ready|finished|paid|saved|scheduled|there|deleted|closed|set|live|up)|was (?:it|the|my|that)|are (?:we|you) done|did (?:it|that|the|my|they|she|he)|what did you|what happened|how did it go|status|any (?:update|news)|double-?check|you (?:told|said)|did you",
  ),
  consent:
    /^[\s\p{P}]*(?:yes|yep|yeah|sure|ok(?:ay)?|go ahead|do it|please do|go for it|sounds good|confirmed?|approved?|just say you did it|try again|again|now|proceed|continue)(?:[\s,]+(?:please|now|then|thanks|with it|it|that|ahead|and|go|do|yes)){0,4}[\s\p{P}]*$/iu,
  clause:
    /[;:—–]|,(?= )|\.\.\.|\s[-]\s|\s(?=(?:but|although|though|however|while|whereas|because|except|and (?:i|we|you|then|the|it|that|all|nothing|no)|so (?:i|that|the|it)) )/iu,
  delegate: words(
    "(?:agents?|bots?|workers?|helpers?|sub-?agents?|assistants?|jobs?|tasks?|scripts?|pipelines?|builds?|processe?s?|teams?)(?: (?:has|have|is|are|was|were|just|now|already))* (?:finished|completed|done|found|reported|ran|running|working|succeeded|compiled|returned)|(?:handed|passed|delegated|assigned)(?: it| this| that| the \\p{L}+)? (?:off |over )?to",
  ),
  others: words(
    "you(?:'ve|'d| have| had)?(?: \\p{L}+)? (?:\\p{L}+ed|sent|did|done|wrote|made|put|gave|took|paid|told|said)|congratulations|congrats|well done",
  ),
};

/** "Added", "Tag pushed", "Temperature set to 20": a deed without a subject or a helping verb. */
function bare(clause: string): Told[] {
  const out: Told[] = [];
  for (const part of clause.split(/ and | & |, /u)) {
    for (const [index, word] of wordsOf(part.toLowerCase()).slice(0, 5).entries()) {
      if (AUX.has(word) || NO_BARE.test(word)) break;
      const families = PAST.get(word);
      const notFirst = /^(?:put|set|read|run)$/.test(word);
      const onlyFirst = /^(?:put|did|made|took|gave|told|ran|wrote|rang)$/.test(word);
      if (!families || (index === 0 ? notFirst : onlyFirst)) continue;
      out.push({ families, voice: "stated" });
      break;
    }
  }
  return out;
}

const NO_BARE = /^(?:i|you|he|she|they|we|to|who|that|which|when|if|how|a|an)$/;
