import type { RequestWords } from "./words.ts";

export const PT: RequestWords = {
  position: "first",
  endings: "(?:a|e|ar|er|ir|em|es|as|uem|ue|ues)(?:-?(?:me|lhe|lhes|o|a|os|as|nos|lo|la|los|las))?",
  verbs: {
    write:
      "cri~ adicion~ acrescent~ salv~ guard~ grav~ anot~ registr~ regist~ inser~ insir~ atualiz~ modific~ mud~ alter~ edit~ ajust~ corrij~ corrig~ troc~ substitu~ substitui configur~ ativ~ desativ~ arrum~ organiz~ orden~ põe pon(?:ha) pôr coloc~ coloqu~ marc~_(?:como|a_tarefa|o_item) preench~ assin~ consert~ lembre-se_de_que",
    delete:
      "apagu~ apag(?:a|ar|ue)_(?!a_luz|as_luzes|o_abajur).* exclu~ exclui delet~ remov~ tir~ limp~ esvazi~ desinstal~ cancel~ descart~ descadastr~ bloquei~ elimin~",
    move: "mov~ renomei~ renome~ arquiv~ copi~ baix(?:a|e|ar)_(?:o|a|os|as)_(?:arquivo|planilha|foto|relatório|fatura)\\p{L}* sob~ sub~ faz_(?:o_)?(?:upload|download|backup).* sincroniz~ export~ import~ transfir~_(?:os?|as?)_(?:arquivo|foto)\\p{L}* duplic~",
    send: "envi~ mand~ encaminh~ respond~ public~ publiqu~ post~ avis~ inform~ notific~ compartilh~ partilh~ convid~ lig(?:a|ue|ar)_(?:para|pra|pro) diz_(?:para|pra|pro|à|ao) diga_(?:a|à|ao|para) fala_(?:para|pra|pro|com) escrev(?:e|a|er)_(?:para|pra|pro)_ aceit~ recus~ confirm~",
    draft: "escrev~ redij~ redig~",
    pay: "pagu~ pag~ compr~ encomend~ pe[cç]~ pede pedir transfir~ transfer~ do(?:e|a|ar) reembols~ faz_(?:um|o)_(?:pix|pagamento|pedido).* deposit~",
    schedule:
      "agend~ reserv~ lembr(?:a|e|ar)-?_?(?:me|nos)? me_lembr~ lembr~ program~ marc~ marqu~ remarc~ remarqu~ adi~ acord~ me_acord~ desmarc~ bot(?:a|e|ar)_(?:um|o)_(?:alarme|lembrete).* vigi~ monitor~ coloca_(?:um_alarme|um_lembrete).*",
    run: "execut~ rod(?:a|e|ar) inici~ reinici~ par(?:a|e|ar)_(?:o|a) instal~ implant~ faz_(?:o_|um_)?(?:commit|push|merge|deploy).* sub(?:a|e|ir)_o_servidor compil~",
    control:
      "lig~ deslig~ acend~ apag(?:a|ue|ar)_(?:a_luz|as_luzes|o_abajur).* abr~ reabr~ fech~ toc~ toqu~ aument~ diminu~ diminui tranc~ destranc~ imprim~ paus~ baix(?:a|e|ar)_(?:o|a)_(?:volume|som|persiana|aquecimento)",
    look: "verific~ verifiqu~ confir~ confer~ busc~ busqu~ procur~ olh~ vê ver_(?:se|o|a|meu|minha)_ veja lê leia ler consult~ encontr~ ach~ pesquis~ chec~ chequ~ dá_uma_olhada.*",
  },
  lead: "por favor|agora|depois|ok|ei|oi|olá|elwood|sim|então|e|mas|também|(?:você )?(?:pode|poderia|consegue)(?: me)?|podes|podias|quero que você|me ajuda a|amanhã|hoje|primeiro|me|não esquece de|[-*•]|\\d+[.)]",
  noun: "(?:nota|lista|marca|cópia|reserva|compra|encomenda|ordem|post|registro|salve|salva)(?: (?:de|do|da|para|por|sobre)(?![\\p{L}])|\\s*:|$)",
  said: "(?:eu|ele|ela|nós|eles|o|a|os|as|um|uma|meu|minha|meus|minhas|já|está|estou|tenho|fui|\\p{L}{2,}ei)(?![\\p{L}])",
  tell: "respond~_(?:só|apenas|com|em) acrescent~_que traduz~ traduz traduzir explic~ expliqu~ resum~ descrev~ propõe propor sugir~ suger~ recomend~ aconselh~ cont(?:a|e|ar) compar~ calcul~ reformul~ invent~ diz_(?:-me|me)? me_d[iê] dá-me me_dá mostr~ list~ analis~ simplific~ encurt~ melhor~ escolh~ adivinh~ continu~ faz(?:-me)? faça passa_(?:isso|pro|para|pra|o_texto) deix(?:a|e)_(?:o_|a_|isso|mais|esse|este) corrig~_(?:esta|essa|este|esse|a|o)_(?:frase|texto|parágrafo|redação) transform~ convert~",
  fiction:
    "finge|faz de conta|imagina que|imagine que|você é (?:um|uma|meu|minha)|tu és um|vamos fingir|aja como|faz o papel",
  text: "parágrafos?|frases?|linhas?|colunas?|tabela|tom|título|função|poema|história|piada|conto|discurso|tweet|receita|roteiro|resumo|checklist|modelo|mensagem de commit|carta de apresentação|gramática|ortografia|vírgulas?|exemplos?|ideias?|ess[ae] (?:lista|texto|código)|est[ae] (?:lista|texto|código)|repetid[oa]s|duplicad[oa]s:|plano de|prós e contras|slogan|emojis?|a parte|palavras|legenda",
  place:
    "(?:meus?|minhas?|noss[oa]s?|o|a|os|as|ao|do|da|dos|das|no|na|nos|nas|seu|sua) (?:\\p{L}+ )?(?:calendário|agenda|caixa(?: de entrada)?|e-?mails?|notas|arquivos?|ficheiros?|pastas?|disco|repositório|branch|servidor|banco(?: de dados)?|planilha|conta|saldo|lista(?: de compras)?|área de trabalho|downloads|documentos|fotos|mensagens|site|computador|celular|telemóvel|contatos|playlist|pedidos?|tarefas|compromissos|consultas?|reuniões|faturas?|lixeira|assinatura|pacote|geladeira|carrinho|drive|logs?)|previsão do tempo|notícias|internet|online|voos?|não lidos|horários?|trânsito|cotação|vai chover",
  ofYou:
    "você (?:já )?\\p{L}+(?:ou|eu|iu|ez)|(?:já )?\\p{L}{3,}(?:aste|este|iste)|já (?:está|foi|mandou|enviou|pagou|fez|apagou|salvou|reservou|\\p{L}+ou|\\p{L}+eu)|foi (?:enviad|pag|salv|apagad|reservad|feit)\\p{L}+|o que (?:você|tu) fe[zs]|deu certo|(?:o|a|meu|minha) \\p{L}+ (?:já )?(?:foi|chegou|saiu|terminou)",
  status:
    "está (?:pront[oa]|feit[oa]|tudo)|status|em que pé|novidades|terminou|acabou|como foi|o que aconteceu|você disse|como está (?:o|a|indo)",
  consent:
    "(?:sim|ok|pode|pode ser|claro|vai|vai em frente|faz|faça|de acordo|confirmo|aprovo|aprovado|confirmado|perfeito|beleza|por favor|continua|continue|isso|certo|combinado|com certeza|está bem|avança)(?:[\\s,.!]+(?:por favor|obrigad[oa]|sim|isso|pode|ir|fazer|mandar|em frente|então|claro|perfeito|vai|continuar|seguir)){0,4}",
  refusal:
    "(?:não|deixa|deixa pra lá|para|esquece|melhor não|agora não|ainda não)(?:[\\s,.!]+(?:obrigad[oa]|por favor|faz|isso|não|deixa|pra lá|precisa|esquece)){0,4}",
  not: "(?:não|nunca|não precisa|não é preciso|nem|ainda não)(?: (?:me|lhe|o|a|os|as|de))*",
  asks: "(?:o )?que|o que|quem|qual|quais|como|quando (?:é|foi|vai|tenho|começa|chega|sai)|onde|por que|porque|quant\\p{L}+|é|está|há|tem|tenho|posso|devo|deveria|dá pra|dá para|será que|vai chover|a que horas|em que",
  how: "por que|porque|como (?!foi|está indo|está o tempo|vai estar)|o que (?:é|são|significa|acontece|quer dizer)|posso|devo|deveria|dá pra|dá para|é (?:normal|melhor|verdade|seguro)",
  and: " (?:e(?! meia| quinze)|depois|mas) ",
};
