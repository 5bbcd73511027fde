/**
 * Words that say nothing about what is looked for, in English, German, French and Spanish. A word that is a
 * name or a thing in another language ("will", "mine", "war") still goes: what is found
 * by the rest of the question makes up for it. French "son", "car" and "comment" and Spanish "como" stay, since a family
 * speaks of its son, its car and its lake.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both
  but by can cannot could did do does doing done during each either else ever every few for from further get gets getting got
  had has have having he her here hers herself him himself his how however i if in into is it its itself just let lets like
  ll may me might mine more most much must my myself no nor not now of off on once one only or other our ours ourselves out
  per please quite rather re really s same shall she should since so some such t than that the their theirs them themselves
  then there these they this those through to too under until up upon us ve very was we were what whats when where whether which while
  who whom whose why will with would yes yet you your yours yourself yourselves
  don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn
  tell told say said says mention mentioned remember recall know
  kind kinds type types sort specific according describe described something someone anything anyone many
  aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass daß dein deine dem den der des
  dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen
  gewesen hab habe haben hat hatte hatten hattest hier hin hinter ich ihm ihn ihnen ihr ihre im in ist ja jede jedem jeden jeder jedes
  jener jetzt kann kannst kein keine können könnte machen man manche mein meine meinem meinen meiner mich mir mit muss nach nicht nichts noch nun nur
  ob oder ohne schon sein seine seinem seinen seiner sehr sich sie sind so soll sollte sondern sonst um und uns unser unter vom von vor
  wann war waren warum was weil weiter welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder will wir wird
  wirst wo wollen wollte während würde würden zu zum zur zwar zwischen über brauche brauchst braucht brauchen
  le la les un une du de et est sont était étaient être avoir ont ce cet cette ces que qui quoi quel quelle quels quelles où quand pourquoi
  dans avec sans sur sous chez pour pas ne ni mais donc je tu il elle nous vous ils elles mon ma mes ta tes sa ses notre nos votre vos
  leur leurs lui eux au en y qu
  el los las una unos unas del o es están está eres estar ha han lo se su sus mi mis tus nuestro nuestra yo ellos ellas nosotros usted ustedes
  te este esta estos estas ese esa eso esto muy más pero si sí al con por para sin quien quién qué cuál cuáles dónde donde cuándo cuando cómo`.split(
    /\s+/u,
  ),
);

/** Forms that no stemmer joins. Each line is one word; asking for any form looks for all. */
const IRREGULAR_LINES = `be was were been
become became
begin began begun
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
child children
choose chose chosen
come came
cost costs
dig dug
draw drew drawn
dream dreamt dreamed
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
foot feet
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
lead led
learn learnt learned
leave left
lend lent
life lives
lose lost
make made
man men
meet met
mouse mice
pay paid
person people
ride rode ridden
ring rang rung
rise rose risen
run ran
see saw seen
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown showed
sing sang sung
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
sweep swept
swim swam swum
take took taken
teach taught
tear tore torn
think thought
throw threw thrown
tooth teeth
understand understood
wake woke woken
wear wore worn
wife wives
win won
woman women
write wrote written
gehen ging gegangen geht
sehen sah gesehen
kommen kam gekommen
essen aß gegessen
trinken trank getrunken
fahren fuhr gefahren
fliegen flog geflogen
finden fand gefunden
geben gab gegeben
nehmen nahm genommen
schreiben schrieb geschrieben
sprechen sprach gesprochen
treffen traf getroffen
kaufen gekauft kaufte
bringen brachte gebracht
denken dachte gedacht
heißen hieß geheißen heißt
lesen las gelesen
wohnen wohnte gewohnt wohnt
ziehen zog gezogen
vergessen vergaß
verlieren verlor verloren
gewinnen gewann gewonnen`;

export const IRREGULAR_FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  IRREGULAR_LINES.split("\n").flatMap((line) => {
    const forms = line.split(" ");
    return forms.map((form): [string, readonly string[]] => [form, forms.filter((other) => other !== form)]);
  }),
);
