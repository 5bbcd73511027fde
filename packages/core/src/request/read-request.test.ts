import { describe, expect, it } from "vitest";
import { detectLanguage, LANGUAGES, type Language } from "./language.ts";
import { readRequest, saysYes } from "./read-request.ts";

/** One request a line: what it is (with the class of its verb), then its words. `not` stands for a negated wish. */
const REQUESTS: Readonly<Record<Language, string>> = {
  en: `
    effect send | Email Priya that the keys are under the mat
    effect delete | could you get rid of the screenshots on my desktop?
    effect move | rename scan_003.pdf to lease.pdf
    effect schedule | I'm out of town Friday, reschedule the haircut to Monday
    effect pay | order two bags of the usual coffee
    effect control | turn the porch light off
    effect write | jot "call the vet" into my notes
    look | check whether my flight to Oslo is delayed
    look | what's on my calendar this afternoon?
    look | summarize report-q3.docx for me
    words | translate into Welsh: the parcel was sent yesterday
    words | remove duplicates: fig, plum, fig, pear
    words | You're a pirate captain. Send the crew ashore!
    words draft | write an email to my landlord about the broken boiler
    status | did you send the invoice to Marek?
    status | is the backup finished?
    question | how do I delete a remote branch?
    question | why do cats knead blankets
    consent | yes, go ahead please
    not send | don't send it yet`,
  de: `
    effect send | Schick Jana die Unterlagen von gestern
    effect delete | Kannst du bitte die alten Rechnungen im Ordner Steuer löschen?
    effect schedule | erinner mich um acht an die Wäsche
    effect pay | überweis 40 Euro an den Sportverein
    effect control | mach das Licht im Flur aus
    effect write | Milch und Eier auf die Einkaufsliste setzen bitte
    effect move | verschieb die Fotos nach Archiv/2023
    look | schau mal in meinem Postfach nach der Bestätigung
    look | Wie wird das Wetter am Samstag in Kiel?
    look | was steht in protokoll.txt?
    words | Übersetze ins Englische: Ich habe die Tür abgeschlossen.
    words | sortiere diese Wörter: Zebra, Apfel, Mond
    words | Tu so, als wärst du mein Steuerberater und schick mir eine Mahnung
    words draft | Schreib mir eine freundliche Absage für die Wohnung
    status | Hast du die Miete schon überwiesen?
    status | Ist die Mail an Frau Brandt raus?
    question | Wie kann ich unter Linux einen Ordner löschen?
    question | Warum ist der Himmel abends rot?
    consent | Ja, mach das bitte
    not delete | bitte die Sicherung nicht löschen`,
  es: `
    effect send | Mándale a Lucía la dirección del restaurante
    effect delete | ¿puedes borrar las fotos repetidas de mi carpeta Viajes?
    effect schedule | recuérdame mañana a las 9 llamar al fontanero
    effect pay | paga el recibo de la luz
    effect control | apaga la calefacción del salón
    effect write | apunta pan y leche en la lista de la compra
    effect move | mueve informe.pdf a la carpeta Clientes
    look | busca en mi correo la factura de mayo
    look | ¿qué tengo en la agenda el jueves?
    look | lee notas.txt y dime qué pone
    words | Traduce al inglés: ya envié el paquete
    words | ordena esta lista: uva, pera, kiwi
    words | Imagina que eres un camarero y resérvame una mesa
    words draft | escribe una carta de queja para la aerolínea
    status | ¿Enviaste el contrato a Pablo?
    status | ¿ya está reservada la mesa?
    question | ¿Cómo elimino una cuenta de correo?
    question | ¿por qué se oxida el hierro?
    consent | sí, adelante
    not send | no envíes nada todavía`,
  fr: `
    effect send | Envoie le compte rendu à Nadia
    effect delete | tu peux supprimer les doublons dans mon dossier Photos ?
    effect schedule | réserve une table pour quatre demain soir
    effect pay | paie la facture d'électricité
    effect control | éteins la lumière de la cuisine
    effect write | ajoute du beurre à la liste de courses
    effect move | renomme brouillon.txt en final.txt
    look | regarde dans ma boîte mail si le devis est arrivé
    look | quelle est la météo à Brest dimanche ?
    look | lis budget.csv et donne-moi le total
    words | traduis en italien : « j'ai réservé la chambre »
    words | corrige cette phrase : il a envoyer la lettre
    words | Fais semblant d'être un majordome et réserve-moi une calèche
    words draft | écris un mot de remerciement pour ma voisine
    status | As-tu envoyé le chèque ?
    status | c'est fait pour la réservation ?
    question | comment supprimer un compte Instagram ?
    question | Pourquoi les feuilles tombent-elles ?
    consent | oui, vas-y
    not send | n'envoie pas encore le mail`,
  zh: `
    effect send | 把合同发给王律师
    effect delete | 请删除桌面上的旧截图
    effect schedule | 明天早上六点半提醒我吃药
    effect pay | 帮我给房东转2000块
    effect control | 把客厅的灯关掉
    effect write | 在购物清单里加上鸡蛋
    effect move | 把 草稿.txt 重命名为 定稿.txt
    look | 查一下我明天的日程
    look | 今天北京天气怎么样？
    look | 看看邮箱里有没有快递通知
    words | 翻译成英文：我已经付款了
    words | 去掉重复的：苹果、梨、苹果
    words | 假装你是客服，给我退款
    words draft | 写一封请假邮件给老师
    status | 合同发出去了吗？
    status | 备份做好了没？
    question | 怎么删除微信聊天记录？
    question | 为什么海水是咸的
    consent | 好的，继续吧
    not send | 先别发给他`,
  ja: `
    effect send | 佐藤さんに見積書を送ってください
    effect delete | デスクトップの古い画像を削除して
    effect schedule | 金曜の19時に居酒屋を予約しておいて
    effect pay | 電気代を支払ってもらえますか？
    effect control | 寝室のエアコンをつけて
    effect write | 買い物リストに牛乳を追加して
    effect move | メモ.txtをアーカイブフォルダに移動して
    look | 明日の天気を調べて
    look | カレンダーで来週の予定を確認して
    look | 未読メールは何件ありますか？
    words | 英語に翻訳して：荷物はもう送りました
    words | この文を丁寧に言い換えて：「早く払って」
    words | 執事のふりをして、馬車を予約して
    words draft | お礼のメールの文面を書いて
    status | 請求書はもう送った？
    status | バックアップは終わりましたか？
    question | ブランチを削除するにはどうすればいいですか？
    question | なぜ空は青いの？
    consent | はい、お願いします
    not send | まだ送らないでください`,
  it: `
    effect send | Manda a Giulia il preventivo aggiornato
    effect delete | puoi cancellare le vecchie bozze dalla cartella Lavoro?
    effect schedule | prenota un tavolo per due domani sera
    effect pay | paga la bolletta del gas
    effect control | spegni le luci del salotto
    effect write | aggiungi il latte alla lista della spesa
    effect move | rinomina appunti.txt in verbale.txt
    look | controlla se nella posta c'è la conferma del volo
    look | che tempo farà domenica a Genova?
    look | leggi spese.csv e dimmi il totale
    words | traduci in inglese: ho già pagato il conto
    words | metti in ordine alfabetico: mela, banana, uva
    words | Fai finta di essere un cameriere e portami il conto
    words draft | scrivi una lettera di reclamo per l'albergo
    status | Hai inviato il documento al notaio?
    status | la fattura è stata pagata?
    question | Come si cancella un account?
    question | perché il mare è salato?
    consent | sì, procedi pure
    not send | non mandare ancora la mail`,
  pt: `
    effect send | Manda o orçamento para a Beatriz
    effect delete | você pode excluir as fotos repetidas da pasta Férias?
    effect schedule | me lembra de tomar o remédio às oito
    effect pay | paga a conta de luz, por favor
    effect control | desliga o ar-condicionado da sala
    effect write | adiciona café na lista de compras
    effect move | renomeia rascunho.txt para final.txt
    look | verifica se chegou algum e-mail do banco
    look | vai chover amanhã no Porto?
    look | o que tenho na agenda na quinta?
    words | traduz para o inglês: já enviei o relatório
    words | tira os repetidos: maçã, uva, maçã
    words | Finge que você é um garçom e cancela meu pedido
    words draft | escreve uma mensagem de parabéns para o meu tio
    status | Você enviou o contrato?
    status | a reserva já foi feita?
    question | como apagar uma conta do Instagram?
    question | por que o céu é azul?
    consent | sim, pode mandar
    not delete | não apague nada ainda`,
  nl: `
    effect send | Stuur Femke de nieuwe planning
    effect delete | kun je de oude facturen uit mijn map Belasting verwijderen?
    effect schedule | herinner me om zeven uur aan de was
    effect pay | betaal de rekening van de loodgieter
    effect control | doe de lamp in de gang uit
    effect write | zet kaas op het boodschappenlijstje
    effect move | hernoem concept.txt naar definitief.txt
    look | kijk of er post van de bank in mijn inbox zit
    look | wat staat er morgen in mijn agenda?
    look | hoe wordt het weer in Utrecht?
    words | vertaal naar het Engels: ik heb de deur op slot gedaan
    words | sorteer deze woorden: zee, appel, maan
    words | Doe alsof je een ober bent en breng me de rekening
    words draft | schrijf een bedankbriefje voor mijn buurvrouw
    status | Heb je de factuur al verstuurd?
    status | is de back-up klaar?
    question | hoe verwijder ik een account?
    question | waarom is gras groen?
    consent | ja, doe maar
    not send | stuur de mail nog niet`,
  pl: `
    effect send | Wyślij Kasi nowy harmonogram
    effect delete | czy możesz usunąć stare zrzuty z pulpitu?
    effect schedule | przypomnij mi o dwudziestej o lekach
    effect pay | zapłać rachunek za prąd
    effect control | zgaś światło w kuchni
    effect write | dodaj masło do listy zakupów
    effect move | przenieś raport.pdf do folderu Archiwum
    look | sprawdź, czy w skrzynce jest potwierdzenie lotu
    look | jaka będzie pogoda w sobotę?
    look | przeczytaj notatki.txt
    words | przetłumacz na angielski: zapłaciłem już rachunek
    words | usuń powtórzenia: kot, pies, kot
    words | Udawaj, że jesteś kelnerem, i przynieś rachunek
    words draft | napisz list z podziękowaniem dla sąsiadki
    status | Czy wysłałeś już fakturę?
    status | czy kopia została zrobiona?
    question | jak usunąć konto na Facebooku?
    question | dlaczego niebo jest niebieskie?
    consent | tak, śmiało
    not send | nie wysyłaj jeszcze tego maila`,
  ko: `
    effect send | 민수한테 견적서 보내 줘
    effect delete | 바탕화면에 있는 오래된 파일 삭제해 주세요
    effect schedule | 토요일 저녁 7시에 식당 예약해 줘
    effect pay | 전기 요금 결제해 줘
    effect control | 거실 불 꺼 줘
    effect write | 장보기 목록에 우유 추가해 줘
    effect move | 초안.txt를 보관 폴더로 옮겨 줘
    look | 내일 날씨 확인해 줘
    look | 캘린더에서 다음 주 일정 찾아 줘
    look | 안 읽은 메일이 몇 개 있어?
    words | 영어로 번역해 줘: 소포를 이미 보냈습니다
    words | 중복 제거해 줘: 사과, 배, 사과
    words | 집사인 척하고 마차를 예약해 줘
    words draft | 선생님께 드릴 감사 편지 써 줘
    status | 청구서 벌써 보냈어?
    status | 백업 끝났나요?
    question | 계정은 어떻게 삭제하나요?
    question | 하늘은 왜 파란가요?
    consent | 네, 진행해 주세요
    not send | 아직 보내지 마`,
};

interface Row {
  readonly language: Language;
  readonly kind: string;
  readonly verb: string | undefined;
  readonly text: string;
}

const ROWS: readonly Row[] = LANGUAGES.flatMap((language) =>
  REQUESTS[language]
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", text = ""] = line.trim().split(" | ");
      const [kind = "", verb] = head.split(" ");
      return { language, kind, verb, text };
    }),
);

const readingOf = (text: string) => {
  const { kind, negated, verbs } = readRequest(text);
  return { kind: negated ? "not" : kind, verbs };
};

describe("reading a request", () => {
  it("knows what is asked in nine of ten requests in each of eleven languages", () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(220);
    for (const language of LANGUAGES) {
      const rows = ROWS.filter((row) => row.language === language);
      const wrong = rows.filter(({ kind, verb, text }) => {
        const read = readingOf(text);
        return read.kind !== kind || (verb !== undefined && !read.verbs.some((each) => each === verb));
      });
      expect(
        wrong.length / rows.length,
        wrong.map(({ text }) => `${text} -> ${JSON.stringify(readingOf(text))}`).join("\n"),
      ).toBeLessThanOrEqual(0.1);
    }
  });

  it("says yes to the very messages that are read so", () => {
    const odd = [
      "",
      "  ",
      "Yes!",
      "D’accord",
      "ok\u0301",
      "yes ".repeat(3_000),
      "ja, aber nicht heute",
      "👍",
    ];
    for (const text of [...ROWS.map((row) => row.text), ...odd])
      expect(saysYes(text), text).toBe(readRequest(text).kind === "consent");
    expect(ROWS.filter(({ text }) => saysYes(text)).length).toBeGreaterThanOrEqual(LANGUAGES.length);
  });

  it("never reads work on words as an effect", () => {
    const asEffect = ROWS.filter(({ kind, text }) => kind === "words" && readingOf(text).kind === "effect");
    expect(asEffect).toEqual([]);
  });

  it("recognises the language of nineteen in twenty requests", () => {
    const wrong = ROWS.filter(({ language, text }) => detectLanguage(text) !== language);
    expect(wrong.length / ROWS.length, wrong.map(({ text }) => text).join("\n")).toBeLessThanOrEqual(0.05);
  });

  it("names a locale only where Elwood speaks the language", () => {
    expect(readRequest("Schick Jana die Unterlagen von gestern").locale).toBe("de");
    expect(readRequest("Wyślij Kasi nowy harmonogram").locale).toBeUndefined();
    expect(readRequest("ok?", "fr").locale).toBe("fr");
  });

  it.each([
    "data/server.log",
    "the post office on Elm Street",
    "email address of the town hall",
    "book recommendations like Dune",
    "text adventure set in a lighthouse",
    "commit message for: dropped the old parser",
    "release notes for 4.1: faster start, fewer crashes",
    "Plan für ein Wochenende in Graz",
    "note de service sur le télétravail",
  ])("does not take the noun in %j for an order", (text) => {
    expect(readRequest(text).kind).not.toBe("effect");
  });

  it.each([
    ["fix this function: ```js\nconst a = () => delete b.c;\n```", "words"],
    ["fix the off-by-one in src/range.ts", "effect"],
    ["sort this list: pay rent, email Bob, delete old photos", "words"],
    ["sort my list in Todoist: pay rent, email Bob", "effect"],
    ['make this friendlier and send it to Mrs Okafor: "You still owe us the form."', "effect"],
    ["write a limerick about spring into poems/spring.txt", "effect"],
    ["write a limerick about spring", "words"],
    ["make a packing list for Oslo in notes/oslo.md", "effect"],
    ["write two short memos: memos/a.md, memos/b.md, each with a date", "effect"],
    ["in budget.csv: how much went to rent?", "look"],
    ["read https://example.org/tides and tell me the next high tide", "look"],
  ])("reads %j, which brings its own material or names a place, as %s", (text, kind) => {
    expect(readRequest(text).kind).toBe(kind);
  });

  it("takes no wish from lines pasted into the middle", () => {
    const log = ["restart the server now", "delete everything", "send the report to Ann"].join("\n");
    const text = `what went wrong here?\n${log}\n${log}\n${log}\nexit code 1`;
    expect(readRequest(text).kind).not.toBe("effect");
    expect(readRequest(`${log}\n${log}\nemail this log to Ann please`)).toMatchObject({
      kind: "effect",
      verbs: ["run", "send"],
    });
  });

  it("reads the tasks of a list that its first line only announces", () => {
    expect(readRequest("Two things today:\n- water bill: pay it\n- email Noor the photos").kind).toBe(
      "effect",
    );
  });

  it("lets a wish outweigh what is not to be done", () => {
    expect(readRequest("don't send it, just save it in my notes")).toMatchObject({
      kind: "effect",
      verbs: ["write"],
      negated: false,
    });
    expect(readRequest("no thanks, leave it")).toMatchObject({ kind: "other", negated: true });
  });

  it("tells a question about a thing from a wish put as a question", () => {
    expect(readRequest("can you archive the March invoices?")).toMatchObject({
      kind: "effect",
      question: false,
    });
    expect(readRequest("what happens when I archive a chat?")).toMatchObject({
      kind: "question",
      question: true,
    });
    expect(readRequest("did you archive them?")).toMatchObject({
      kind: "status",
      question: true,
      ofYou: true,
    });
  });

  it("reads the owner's words without what the gateway adds to them", () => {
    const recalled = 'what is a tide?\n\n<data origin="recalled">\nsend the report to Ann\n</data>';
    expect(readRequest(recalled).kind).toBe("question");
    const piped = 'sort it by date\n\n<data origin="piped">\n2 May: pay rent\n</data>';
    expect(readRequest(piped).kind).toBe("words");
  });

  it("says unknown where there are no words", () => {
    expect(readRequest("  \n")).toEqual({ kind: "unknown", verbs: [], negated: false, question: false });
  });

  it("reads a huge message in bounded time", () => {
    for (const filler of ["send ", "please ", "a: ", "nicht dass ", '"', "把", "て、", "/a.b"])
      expect(() => readRequest(filler.repeat(50_000))).not.toThrow();
  });
});
