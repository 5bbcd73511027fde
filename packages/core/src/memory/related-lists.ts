/**
 * Everyday words and what people say in their place: asked for "pets", a turn that says "puppy" may be meant. What
 * stands before a colon is the wider word, and all such words of a line mean about the same; what follows it are things
 * of that kind, or words that go with it, the likeliest first. A line without a colon is words for one thing. Words
 * joined by _ stand side by side.
 *
 * General knowledge, and only that: words that fit some conversation at hand would make a benchmark lie.
 */
export const RELATED_LINES = `pet animal: dog cat puppy kitten hamster rabbit bunny parrot fish turtle horse guinea_pig bird adopted vet paws
dog: puppy pup canine labrador retriever shepherd poodle terrier leash
cat: kitten kitty feline
instrument: guitar piano violin drums flute cello clarinet trumpet saxophone bass ukulele harp keyboard banjo
music: song band album concert singer playlist melody tune genre jazz rock pop classical
musician artist singer: band composer
song: tune track lyrics melody album
concert gig: festival show live stage band tour performance
hobby interest pastime: painting reading gardening hiking knitting photography pottery cooking baking drawing dancing chess collecting fishing crafts running cycling gaming
activity: hiking swimming camping painting running reading cycling dancing game yoga climbing picnic fishing skiing museum park
exercise workout fitness: gym running yoga swimming weights jogging pilates training cycling stretching
sport: football soccer basketball tennis baseball volleyball hockey golf rugby cricket swimming skiing surfing boxing cycling skating
game: chess cards puzzle console quest xbox playstation nintendo multiplayer gamer level player
team: league coach player club teammate
tournament competition contest: match championship league win prize medal compete
win: won victory champion award prize trophy first_place
award prize: trophy medal certificate recognition won honor
art artwork: painting drawing sculpture sketch canvas mural gallery pottery watercolor exhibit
paint painting: canvas brush watercolor sketch draw art easel portrait landscape
craft: pottery knitting sewing clay woodwork jewelry crochet handmade
photography photo picture: camera shot snapped image lens
dance dancing: ballet salsa studio choreography contemporary tango hip_hop
read reading: book novel author chapter
book: novel author series memoir biography story fantasy mystery chapter bestseller reading
author writer: book novel wrote
write writing: book blog story poem journal screenplay script article novel
movie film: cinema watched director actor trilogy documentary comedy thriller
show series: episode season tv watched
watch: movie film show series
food meal dish: pasta pizza soup salad chicken rice curry sushi sandwich steak cook dinner tacos
dessert sweets: cake ice_cream cookies pie chocolate brownie pudding cupcake
snack: chips cookies popcorn fruit nuts chocolate
drink beverage: coffee tea wine beer juice water soda smoothie cocktail
cook cooking: recipe bake kitchen dish meal roast grill
recipe: ingredients cook bake dish
bake baking: cake cookies bread pie oven pastry
restaurant: cafe diner bistro menu ate dinner lunch
diet: vegan vegetarian calories sugar healthy gluten
allergy allergic: reaction nuts hives sneeze pollen
fruit: apple banana orange strawberry peach mango berry
vegetable: tomato carrot pepper lettuce spinach cucumber
plant garden: flowers seeds roses tomatoes succulents herbs
flower: rose tulip sunflower daisy lily bouquet orchid
family relative: mother father mom dad sister brother parents kids children husband wife cousin aunt uncle grandma grandpa son daughter
parent: mother father mom dad mum
mother mom mum mama
father dad daddy papa
sibling: brother sister twin
grandparent: grandma grandpa grandmother grandfather granny
grandmother grandma granny nana
grandfather grandpa
child kid: son daughter baby toddler children kids
son daughter: boy girl child kid
spouse partner: husband wife boyfriend girlfriend married fiance
husband wife: married spouse partner hubby
boyfriend girlfriend: dating partner relationship
relationship: dating married single partner boyfriend girlfriend divorce breakup together
single: dating breakup divorce relationship
marry wedding marriage: bride groom ceremony engaged proposal anniversary honeymoon married husband wife
divorce breakup: split separated ex
friend: buddy pal bestie mate
baby: newborn pregnant birth born expecting
name: named called
job work career profession occupation: engineer teacher nurse doctor manager designer lawyer accountant chef writer office company hired promotion salary
career: degree goal profession counselor field
employer company: firm startup office corporation
boss: manager supervisor
colleague coworker: team office
business company: startup shop store clients customers entrepreneur owner
interview: hired applied application
fired: laid_off lost_my_job quit
quit resign: left
promotion: promoted raise
volunteer volunteering charity: shelter donate homeless community fundraiser soup_kitchen nonprofit helping
donate donation: gave charity
study education: university college degree school course class major graduate master exams
school: class teacher student grade
university college: campus degree student professor
degree: bachelor master phd graduated diploma major
class course: lesson workshop learn taught instructor
learn: lesson class taught practice
teach teacher: lesson class student
exam test: passed grade
graduate graduation: diploma degree ceremony
student: pupil class
skill: learn practice
language: spanish french german italian japanese chinese english
travel trip vacation holiday: visited flight beach hotel abroad tour road_trip journey getaway flew explore
visit: went trip tour stopped traveled
tour: trip concert
country: france italy spain germany japan canada mexico england ireland india china brazil sweden australia
city town: london paris new_york rome berlin tokyo boston chicago barcelona seattle
state: california florida texas colorado oregon michigan
place location destination: park beach city museum lake mountain
beach sea ocean: sand waves surf coast shore swim
mountain: peak summit hike climb trail
nature outdoors: forest hike trail mountain lake park woods river waterfall
hike hiking: trail mountain summit walk trek
camp camping: tent campfire woods
swim swimming: pool lake beach
park: playground trail
museum: exhibit gallery art
vehicle: car truck bike motorcycle van bus
car: drive vehicle truck toyota ford prius honda mechanic
bike bicycle: cycling ride
train bus: station commute
flight plane: airport flew fly
move relocate: moved new_place apartment settle
live home house: apartment moved neighborhood flat residence
origin hometown: grew_up from born roots
apartment flat: rent landlord roommate
furniture: couch sofa table chair desk bed shelf
room: kitchen bedroom bathroom living_room
renovate renovation remodel: paint kitchen repair
repair fix: broken mechanic
buy purchase: bought got ordered shopping store
purchase: bought got new
shop shopping store: bought mall
sell: sold
gift present: gave birthday necklace surprise
clothes clothing outfit: dress shirt jacket shoes jeans sweater hat
shoes: sneakers boots sandals
jewelry: necklace ring bracelet earrings
money finances: budget savings debt loan afford income pay
expensive cost price: paid dollars
health illness sick disease: doctor hospital pain cold flu fever diagnosed recover surgery medication
doctor: hospital appointment clinic checkup
injury injured hurt accident: broke ankle knee sprained pain cast wrist crash
hospital: surgery doctor emergency nurse
stress: anxiety overwhelmed pressure
relax destress unwind: calm yoga meditation bath peace reading nature stress
therapy therapist: counseling counselor session
support: help encourage group
feel feeling emotion: happy sad excited nervous proud anxious grateful scared relieved upset
happy: joy glad excited thrilled
sad: upset cried loss grief down
afraid fear scared: terrified nervous phobia
angry: mad annoyed frustrated
proud: accomplished achievement
die death died: passed_away funeral lost loss grief
loss lose: lost died passed_away
like enjoy favorite: love loves fan favourite prefer
love: enjoy adore favorite
favorite favourite: love best
dislike hate: annoying stand
start begin: started began joined launched
join: joined signed_up member
stop end: quit finished
finish complete: completed done
plan intend: going_to planning thinking want
goal dream ambition: hope want aim aspire plan
decide: decision chose
create make: made built designed
build: made built
attend: went joined
event: festival parade fair party concert conference meeting gala workshop
conference: workshop event talk
party celebrate celebration: birthday cake guests
birthday: cake party turned
holiday: christmas thanksgiving easter halloween new_year
christmas: tree santa presents holiday
festival: parade fair concert
religion religious: church faith god pray bible spiritual
church: faith mass pray
politics political: election vote campaign policy mayor
military army: service served veteran soldier deployed
community: neighborhood group local
help: helped support assist volunteer
problem challenge struggle difficulty: hard tough issue trouble setback
advice: tip suggest recommend
important: means matters value
symbol meaning: represents reminds stands
reminder: reminds symbol
color colour: red blue green purple yellow black white pink orange
weather: rain snow sunny storm cold hot
night evening: tonight
computer laptop: pc software programming code
phone: call mobile cell
app: software mobile
technology tech: robot software app computer gadget
programming coding: code software developer
age old: years birthday turned
tattoo: ink
collect collection: collecting
fish fishing: caught lake
trophy: won
scary frightening: terrifying
funny: hilarious laugh
beautiful: gorgeous stunning
big large huge
small little tiny
quick fast
difficult hard tough
begin start
buy purchase get
talk speak chat discuss
child kid
ill sick unwell
job occupation profession
film movie
photo picture image
trip journey vacation
fix repair
choose pick select
present gift
autumn fall
haustier tier: hund katze kater welpe hamster kaninchen vogel pferd
hund: welpe
instrument: gitarre klavier geige schlagzeug flöte cello trompete
hobby freizeit: malen lesen wandern kochen backen garten tanzen fotografieren stricken
sport: fußball tennis schwimmen laufen radfahren turnen ski handball
familie verwandte: mutter vater mama papa schwester bruder eltern kinder oma opa tante onkel sohn tochter
eltern: mutter vater mama papa
geschwister: bruder schwester
mutter mama
vater papa
großmutter oma
großvater opa
kind: sohn tochter kinder baby
partner: mann frau freund freundin ehemann ehefrau
beruf arbeit job: lehrer arzt ingenieur firma büro chef stelle kollege
studium ausbildung: universität uni hochschule abschluss studiert prüfung
essen gericht: nudeln pizza suppe salat reis kuchen kochen
getränk: kaffee tee wein bier saft wasser
reise urlaub ferien: flug strand hotel ausland besucht
land: deutschland österreich schweiz frankreich italien spanien
stadt: berlin wien münchen hamburg zürich graz
auto fahrzeug wagen: golf volvo motor werkstatt
wohnung haus: umgezogen miete zimmer
umziehen umzug: umgezogen wohnung
krankheit krank gesundheit: arzt krankenhaus schmerzen fieber operation
arzt: praxis termin klinik
allergie allergisch: nüsse pollen unverträglich
buch: roman autor lesen
film kino: gesehen serie
musik: lied band konzert sänger
geschenk: geburtstag geschenkt
hochzeit heiraten: geheiratet braut verheiratet
geld: euro konto sparen schulden
mögen lieben: liebe gern lieblings
kaufen: gekauft bestellt
feiern feier fest: party geburtstag
farbe: rot blau grün gelb schwarz weiß`;
