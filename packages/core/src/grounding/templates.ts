import type { CallStatus } from "../tool.ts";
import type { Locale } from "./language.ts";

export type NotDone = Exclude<CallStatus, "succeeded">;

/** Elwood's own wording. `{what}` is the call or the calls, made safe to show. */
export interface Wording {
  readonly noTool: string;
  readonly receipts: string;
  readonly reads: (n: number) => string;
  readonly more: (n: number) => string;
  readonly times: (n: number) => string;
  readonly and: string;
  readonly words: Readonly<Record<CallStatus, string>>;
  readonly undone: string;
  /** Said of a program that ended with another code than 0. */
  readonly ended: (code: number) => string;
  readonly undoOf: string;
  readonly sentence: Readonly<Record<NotDone, string>>;
  readonly nothingRan: string;
  readonly didSucceed: string;
  readonly onlyRead: string;
  readonly withheld: string;
}

export const WORDING: Readonly<Record<Locale, Wording>> = {
  en: {
    noTool: "No tool ran for this reply.",
    receipts: "receipts",
    reads: (n) => (n === 1 ? "1 read" : `${n} reads`),
    more: (n) => `and ${n} more`,
    times: (n) => `×${n}`,
    and: ", ",
    words: {
      succeeded: "done",
      failed: "failed",
      denied: "denied",
      expired: "expired",
      pending: "waiting for you",
      unknown: "unknown",
    },
    undone: "undone since",
    ended: (code) => `ended with code ${code}`,
    undoOf: "undo of",
    sentence: {
      failed: "Not done, the call failed: {what}.",
      denied: "Not done, the call was denied: {what}.",
      expired: "Not done, nobody answered in time: {what}.",
      pending: "Not done yet, it waits for your approval: {what}.",
      unknown: "Started, but no result came back: {what}. It may have happened; look before you try again.",
    },
    nothingRan: "Nothing was done: no tool ran.",
    didSucceed: "Succeeded: {what}. Whether it had the effect you wanted was not checked.",
    onlyRead: "Only look-ups ran ({what}); nothing was changed.",
    withheld: "The draft of this reply said more than the receipts show, so it is left out.",
  },
  de: {
    noTool: "Für diese Antwort lief kein Werkzeug.",
    receipts: "Belege",
    reads: (n) => (n === 1 ? "1 Lesezugriff" : `${n} Lesezugriffe`),
    more: (n) => `und ${n} weitere`,
    times: (n) => `×${n}`,
    and: ", ",
    words: {
      succeeded: "erledigt",
      failed: "fehlgeschlagen",
      denied: "abgelehnt",
      expired: "abgelaufen",
      pending: "wartet auf dich",
      unknown: "unbekannt",
    },
    undone: "inzwischen rückgängig gemacht",
    ended: (code) => `endete mit Code ${code}`,
    undoOf: "Rücknahme von",
    sentence: {
      failed: "Nicht erledigt, der Aufruf schlug fehl: {what}.",
      denied: "Nicht erledigt, der Aufruf wurde abgelehnt: {what}.",
      expired: "Nicht erledigt, niemand hat rechtzeitig geantwortet: {what}.",
      pending: "Noch nicht erledigt, es wartet auf deine Freigabe: {what}.",
      unknown:
        "Begonnen, aber es kam kein Ergebnis: {what}. Es kann geschehen sein; sieh nach, bevor du es noch einmal versuchst.",
    },
    nothingRan: "Es wurde nichts getan: kein Werkzeug lief.",
    didSucceed: "Gelungen: {what}. Ob es die gewünschte Wirkung hatte, wurde nicht geprüft.",
    onlyRead: "Es wurde nur nachgesehen ({what}), nichts geändert.",
    withheld: "Der Entwurf dieser Antwort sagte mehr, als die Belege zeigen, und wird deshalb weggelassen.",
  },
  es: {
    noTool: "Ninguna herramienta se usó para esta respuesta.",
    receipts: "recibos",
    reads: (n) => (n === 1 ? "1 lectura" : `${n} lecturas`),
    more: (n) => `y ${n} más`,
    times: (n) => `×${n}`,
    and: ", ",
    words: {
      succeeded: "hecho",
      failed: "falló",
      denied: "denegado",
      expired: "caducado",
      pending: "te espera",
      unknown: "desconocido",
    },
    undone: "deshecho después",
    ended: (code) => `terminó con el código ${code}`,
    undoOf: "deshacer",
    sentence: {
      failed: "No se hizo, la llamada falló: {what}.",
      denied: "No se hizo, la llamada fue denegada: {what}.",
      expired: "No se hizo, nadie respondió a tiempo: {what}.",
      pending: "Aún no se ha hecho, espera tu aprobación: {what}.",
      unknown:
        "Se inició, pero no llegó resultado: {what}. Puede que haya ocurrido; míralo antes de repetir.",
    },
    nothingRan: "No se hizo nada: no se usó ninguna herramienta.",
    didSucceed: "Salió bien: {what}. No se comprobó si tuvo el efecto que querías.",
    onlyRead: "Solo se consultó ({what}); no se cambió nada.",
    withheld: "El borrador de esta respuesta decía más de lo que muestran los recibos y por eso se omite.",
  },
  fr: {
    noTool: "Aucun outil n'a servi pour cette réponse.",
    receipts: "reçus",
    reads: (n) => (n === 1 ? "1 lecture" : `${n} lectures`),
    more: (n) => `et ${n} de plus`,
    times: (n) => `×${n}`,
    and: ", ",
    words: {
      succeeded: "fait",
      failed: "échec",
      denied: "refusé",
      expired: "expiré",
      pending: "vous attend",
      unknown: "inconnu",
    },
    undone: "annulé depuis",
    ended: (code) => `terminé avec le code ${code}`,
    undoOf: "annulation de",
    sentence: {
      failed: "Pas fait, l'appel a échoué : {what}.",
      denied: "Pas fait, l'appel a été refusé : {what}.",
      expired: "Pas fait, personne n'a répondu à temps : {what}.",
      pending: "Pas encore fait, cela attend votre accord : {what}.",
      unknown: "Commencé, mais sans résultat : {what}. C'est peut-être arrivé ; regardez avant de réessayer.",
    },
    nothingRan: "Rien n'a été fait : aucun outil n'a servi.",
    didSucceed: "Réussi : {what}. L'effet voulu n'a pas été vérifié.",
    onlyRead: "Seules des lectures ont eu lieu ({what}) ; rien n'a été modifié.",
    withheld: "Le brouillon de cette réponse en disait plus que les reçus ; il est donc omis.",
  },
  zh: {
    noTool: "本次回复没有运行任何工具。",
    receipts: "回执",
    reads: (n) => `${n} 次读取`,
    more: (n) => `另有 ${n} 项`,
    times: (n) => `×${n}`,
    and: "、",
    words: {
      succeeded: "完成",
      failed: "失败",
      denied: "被拒绝",
      expired: "已过期",
      pending: "等您批准",
      unknown: "结果未知",
    },
    undone: "之后已撤销",
    ended: (code) => `以代码 ${code} 结束`,
    undoOf: "撤销",
    sentence: {
      failed: "未完成，调用失败：{what}。",
      denied: "未完成，调用被拒绝：{what}。",
      expired: "未完成，没有人及时答复：{what}。",
      pending: "尚未完成，等待您的批准：{what}。",
      unknown: "已开始，但没有得到结果：{what}。可能已经发生；重试前请先查看。",
    },
    nothingRan: "什么都没有做：没有运行任何工具。",
    didSucceed: "调用成功：{what}。是否达到您想要的效果没有核实。",
    onlyRead: "只进行了读取（{what}），没有更改任何内容。",
    withheld: "这条回复的草稿所说超出了回执的记录，因此略去。",
  },
  ja: {
    noTool: "この返信ではツールは実行されていません。",
    receipts: "記録",
    reads: (n) => `読み取り ${n} 件`,
    more: (n) => `ほか ${n} 件`,
    times: (n) => `×${n}`,
    and: "、",
    words: {
      succeeded: "完了",
      failed: "失敗",
      denied: "拒否",
      expired: "期限切れ",
      pending: "承認待ち",
      unknown: "結果不明",
    },
    undone: "後で取り消し済み",
    ended: (code) => `コード ${code} で終了`,
    undoOf: "取り消し",
    sentence: {
      failed: "実行されていません。呼び出しが失敗しました：{what}。",
      denied: "実行されていません。呼び出しが拒否されました：{what}。",
      expired: "実行されていません。期限までに返答がありませんでした：{what}。",
      pending: "まだ実行されていません。承認を待っています：{what}。",
      unknown:
        "開始しましたが結果が返っていません：{what}。実行された可能性があるので、再試行の前に確かめてください。",
    },
    nothingRan: "何も実行されていません。ツールは使われていません。",
    didSucceed: "呼び出しは成功しました：{what}。望んだ結果になったかは確認していません。",
    onlyRead: "読み取りだけを行いました（{what}）。何も変更していません。",
    withheld: "この返信の下書きは記録にないことを述べていたため、省きました。",
  },
};
