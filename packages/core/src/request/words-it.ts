import type { RequestWords } from "./words.ts";

export const IT: RequestWords = {
  position: "first",
  endings:
    "(?:a|i|e|are|ere|ire|ar|er|ir|ate|ete|ite|h?i)(?:mi|ti|ci|gli|le|lo|la|li|ne|glielo|gliela|melo|mela)?",
  verbs: {
    write:
      "cre~ aggiung~ salv~ annot~ segn~ registr~ inser~ inserisc~ aggiorn~ modific~ cambi~ corregg~ sistem~ sostitu~ configur~ attiv~ disattiv~ ordina_(?:la|le|i|il)_(?:lista|cartella|file|foto)\\p{L}* met~ mett~ compil~ firm~ giustific~ appunt~ ricordati",
    delete:
      "cancell~ elimin~ rimuov~ togl~ svuot~ pul~ pulisc~ disinstall~ annull~ disd~ disdici disiscriv~ butt~ blocc~",
    move: "spost~ rinomin~ archivi~ copi~ scaric~ caric~ sincronizz~ esport~ import~ duplic~",
    send: "comment(?:a|are|i)_(?:\\S+_){0,3}?(?:issue|ticket|pr|pull_request|thread|post|card|discussion|\\S*#\\d+) chied(?:i|ere)_a invi~ mand~ sped~ spedisc~ inoltr~ rispond~ pubblic~ post~ avvis~ inform~ notific~ condivid~ invit~ chiam~ telefon~ dì_a d[iì](?:gli|lle) scriv(?:i|ere)_a scriv(?:igli|ile) accett~ rifiut~ conferm~ avvert~",
    draft: "scriv~ redig~ prepara(?:mi)?_una_(?:mail|lettera|bozza)",
    pay: "pag~ compr~ ordin~ acquist~ bonific~ rimbors~ don~ fai_un_bonifico.* trasfer~ trasferisc~",
    schedule:
      "prenot~ ricord(?:a|are|ar)(?:mi|ci|gli|le) program~ programm~ pianific~ svegli~ fiss~ rimand~ posticip~ anticip~ rinvi~ controlla_ogni imposta_(?:una|un)_(?:sveglia|timer|promemoria).* mett(?:i|ere)_(?:una_sveglia|in_agenda).*",
    run: "esegu~ avvi~ riavvi~ ferm~ lanci~ install~ fai_(?:il_|un_)?(?:commit|push|merge|deploy).* un(?:isci)_il_branch",
    control:
      "accend~ spegn~ spegni chiud~ apr~ riapr~ alz~ abbass~ stamp~ riproduc~ suon~ blocca_la_porta metti_(?:la_musica|su).*",
    look: "controll~ verific~ cerc~ guard~ legg~ trov~ consult~ dai_un'occhiata.*",
  },
  lead: "per favore|per piacere|ora|adesso|poi|ok|ehi|ciao|elwood|sì|allora|e|ma|anche|(?:mi |ci )?(?:puoi|potresti|può|potrebbe)|vorrei che|aiutami a|domani|stasera|oggi|prima|dopo|non dimenticare di|[-*•]|\\d+[.)]",
  noun: "(?:nota|lista|copia|firma|posta|ordine|chiamata|salva)(?: (?:di|del|della|per|su)(?![\\p{L}])|\\s*:|$)",
  said: "(?:io|lui|lei|noi|loro|il|lo|la|le|gli|un|una|mio|mia|ho|ha|hanno|abbiamo|è|sono)(?![\\p{L}])",
  tell: "rispondi_(?:solo|soltanto|con|in) aggiungi_che mett(?:i|ere)_in_(?:ordine|fila|forma).* traduc~ tradurre spieg~ riassum~ descriv~ propon~ suggerisc~ suggerire consigli~ racconta(?:mi)? confront~ calcol~ riformul~ invent~ dimmi dammi mostrami elenc~ analizz~ semplific~ accorci~ miglior~ scegl~ indovin~ continu~ fai(?:mi|lo)? fammi rendi(?:lo|la)? trasform~ correggi(?:mi)?_(?:questa|questo|la|il)_(?:frase|testo|paragrafo)",
  fiction: "fai finta|fingi|immagina (?:che|di)|gioco di ruolo|sei (?:un|una|il mio)|facciamo finta",
  text: "paragraf\\p{L}|fras[ei]|rig[ah]e?|colonn[ae]|tabella|tono|titolo|funzione|poesia|storia|barzelletta|racconto|discorso|tweet|ricetta|scaletta|riassunto|checklist|modello|messaggio di commit|lettera di presentazione|grammatica|refusi|virgol[ae]|esempi\\p{L}?|idee?|quest[ao] (?:lista|testo|codice)|doppioni|piano di|pro e contro|slogan|emoji|la parte|parole|battuta|filastrocca",
  place:
    "(?:mi[oa]|miei|mie|nostr[oaie]|il|lo|la|i|gli|le|l'|al|alla|del|della|dal|dalla|nel|nella|nei|nelle|sul|sulla|in) ?(?:\\p{L}+ )?(?:calendario|agenda|posta(?: in arrivo)?|casella|mail|email|note|file|cartella|cartelle|disco|repo|branch|server|database|foglio|conto|saldo|banca|lista della spesa|lista|scrivania|download|documenti|foto|messaggi|sito|computer|telefono|contatti|playlist|ordin[ei]|attività|appuntament[oi]|riunioni|fattur[ae]|cestino|abbonamento|pacco|frigo|carrello|registro|log)|meteo|notizie|internet|online|voli?|non lette|orari|traffico|tempo farà|che tempo fa",
  ofYou:
    "hai (?:già )?\\p{L}+(?:to|so|sto|tto)|l'hai|avete|cos'hai fatto|cosa hai fatto|è (?:stat[oa]|partit[oa]|arrivat[oa]|andat[oa]|già)|ha (?:funzionato|risposto)|(?:il|la|il mio|la mia) \\p{L}+ è (?:già|stat[oa]|pront[oa]|finit[oa]|arrivat[oa]|partit[oa])",
  status:
    "è (?:fatto|pronto|pronta|tutto)|stato d|a che punto|novità|hai finito|com'è andata|cosa è successo|avevi detto|tutto fatto",
  consent:
    "(?:sì|si|ok|va bene|certo|procedi|fallo|vai|d'accordo|confermo|approvo|perfetto|per favore|continua|ancora|esatto|volentieri|confermato|approvato)(?:[\\s,.!]+(?:per favore|grazie|pure|sì|procedi|fallo|vai|così|bene|certo|perfetto|va)){0,4}",
  refusal:
    "(?:no|lascia stare|lascia perdere|fermati|meglio di no|non ora|non ancora)(?:[\\s,.!]+(?:grazie|per favore|farlo|non|lascia|stare|perdere|ora)){0,4}",
  not: "(?:non|mai|non serve|non c'è bisogno di|non occorre)(?: (?:mi|gli|le|lo|la|li|ancora))*",
  asks: "chi|che|cosa|cos'è|quale|quali|come|quando (?:è|ho|inizia|arriva|parte|devo|sarà)|dove|perché|quant\\p{L}|è|c'è|ci sono|ho|posso|devo|dovrei|si può|qual è|a che ora|conviene",
  how: "perché|come (?!va|è andata)|cos'è|cosa (?:è|significa|succede|vuol dire)|che cos'è|posso|devo|dovrei|si può|conviene|è (?:normal|meglio|vero)\\p{L}*",
  and: " (?:e(?! mezz[ao]| un quarto)|ed|poi|ma) ",
};
