import type { Act } from "./claim-model.ts";
import type { Locale } from "../request/language.ts";

/** Ways in which an effect was not done in the end. */
export type NotDoneWay =
  | "failed"
  | "denied"
  | "blocked"
  | "changed"
  | "stopped"
  | "expired"
  | "unknown"
  | "pending";

type EffectAct = Exclude<Act, "look" | "approve" | "done">;

/** What the record says against a sentence. */
type RecordedWay = "undone" | "denied" | "failed" | "done";

/** The same as it stands beside a mark (`why`), for every language; see `notVerifiedText`. */
export const RECORDED_WHY: Readonly<Record<RecordedWay, string>> = {
  undone: "you undid it",
  denied: "you said no",
  failed: "that call failed",
  done: "a call did do this",
};

/** What a mark says: what became of it where that is on record, else that nothing is. */
export function notVerifiedText(why: string | undefined, locale: Locale): string {
  const { notVerified, notVerifiedAs } = WORDING[locale];
  const ways = Object.keys(RECORDED_WHY) as RecordedWay[];
  const way = ways.find((each) => RECORDED_WHY[each] === why);
  return way === undefined ? notVerified : notVerifiedAs[way];
}

/** Elwood's own words about a reply. `{what}` is the call or the calls, made safe to show. */
export interface Wording {
  /** Behind a sentence that nothing on record supports. */
  readonly notVerified: string;
  /** The same where the record says what became of it. */
  readonly notVerifiedAs: Readonly<Record<RecordedWay, string>>;
  /** What a citation without a tick means. */
  readonly citedOnly: (cites: string) => string;
  /** Past tense, before what was dealt with. */
  readonly effects: Readonly<Record<EffectAct, string>>;
  /** The same as something that was to be done. */
  readonly actions: Readonly<Record<EffectAct, string>>;
  readonly more: (n: number) => string;
  readonly reads: (n: number) => string;
  readonly sentTo: (hosts: string) => string;
  readonly marked: (n: number) => string;
  readonly undone: string;
  readonly undoOf: string;
  /** Said of a program that ended with another code than 0. */
  readonly ended: (code: number) => string;
  readonly notDone: Readonly<Record<NotDoneWay, string>>;
  readonly and: string;
}

export const WORDING: Readonly<Record<Locale, Wording>> = {
  en: {
    notVerified: "not verified: Elwood has no record of this",
    notVerifiedAs: {
      undone: "not verified: you undid it",
      denied: "not verified: you said no",
      failed: "not verified: that call failed",
      done: "not verified: Elwood has a record that it was done",
    },
    citedOnly: (cites) =>
      `${cites}: the sentence cites this call, which did not succeed or does not hold what it says.`,
    effects: {
      write: "Changed",
      delete: "Deleted",
      move: "Moved",
      send: "Sent",
      draft: "Drafted",
      pay: "Paid or booked",
      schedule: "Scheduled",
      run: "Ran",
      control: "Set",
    },
    actions: {
      write: "change",
      delete: "delete",
      move: "move",
      send: "send",
      draft: "draft",
      pay: "pay or book",
      schedule: "schedule",
      run: "run",
      control: "set",
    },
    more: (n) => `and ${n} more`,
    reads: (n) => (n === 1 ? "1 local read" : `${n} local reads`),
    sentTo: (hosts) => `Data went to ${hosts}`,
    marked: (n) => (n === 1 ? "1 statement is not verified" : `${n} statements are not verified`),
    undone: "undone since",
    undoOf: "Undid:",
    ended: (code) => `ended with code ${code}`,
    notDone: {
      failed: "Not done, it failed: {what}.",
      denied: "Not done, you said no: {what}.",
      blocked: "Not done, blocked by rule: {what}.",
      changed: "Not done, it had changed after you allowed it: {what}.",
      stopped: "Not done, you stopped it: {what}.",
      expired: "Not done, nobody answered in time: {what}.",
      pending: "Not done yet, it waits for your approval: {what}.",
      unknown: "Started, but no result came back: {what}. It may have happened; look before you try again.",
    },
    and: ", ",
  },
  de: {
    notVerified: "nicht belegt: Elwood hat dazu keinen Eintrag",
    notVerifiedAs: {
      undone: "nicht belegt: du hast es rückgängig gemacht",
      denied: "nicht belegt: du hast es abgelehnt",
      failed: "nicht belegt: der Aufruf schlug fehl",
      done: "nicht belegt: Elwood hat verzeichnet, dass es getan wurde",
    },
    citedOnly: (cites) =>
      `${cites}: Der Satz beruft sich auf diesen Aufruf, der nicht gelang oder nicht enthält, was er sagt.`,
    effects: {
      write: "Geändert:",
      delete: "Gelöscht:",
      move: "Verschoben:",
      send: "Gesendet:",
      draft: "Entworfen:",
      pay: "Bezahlt oder gebucht:",
      schedule: "Geplant:",
      run: "Ausgeführt:",
      control: "Gestellt:",
    },
    actions: {
      write: "ändern",
      delete: "löschen",
      move: "verschieben",
      send: "senden",
      draft: "entwerfen",
      pay: "bezahlen oder buchen",
      schedule: "einplanen",
      run: "ausführen",
      control: "stellen",
    },
    more: (n) => `und ${n} weitere`,
    reads: (n) => (n === 1 ? "1 lokaler Lesezugriff" : `${n} lokale Lesezugriffe`),
    sentTo: (hosts) => `Daten gingen an ${hosts}`,
    marked: (n) => (n === 1 ? "1 Aussage ist nicht belegt" : `${n} Aussagen sind nicht belegt`),
    undone: "inzwischen rückgängig gemacht",
    undoOf: "Rückgängig gemacht:",
    ended: (code) => `endete mit Code ${code}`,
    notDone: {
      failed: "Nicht erledigt, es schlug fehl: {what}.",
      denied: "Nicht erledigt, du hast es abgelehnt: {what}.",
      blocked: "Nicht erledigt, durch eine Regel gesperrt: {what}.",
      changed: "Nicht erledigt, es hatte sich nach deiner Erlaubnis geändert: {what}.",
      stopped: "Nicht erledigt, du hast es gestoppt: {what}.",
      expired: "Nicht erledigt, niemand hat rechtzeitig geantwortet: {what}.",
      pending: "Noch nicht erledigt, es wartet auf deine Freigabe: {what}.",
      unknown:
        "Begonnen, aber es kam kein Ergebnis: {what}. Es kann geschehen sein; sieh nach, bevor du es noch einmal versuchst.",
    },
    and: ", ",
  },
  es: {
    notVerified: "sin verificar: Elwood no tiene constancia de esto",
    notVerifiedAs: {
      undone: "sin verificar: lo deshiciste",
      denied: "sin verificar: dijiste que no",
      failed: "sin verificar: esa llamada falló",
      done: "sin verificar: Elwood tiene constancia de que se hizo",
    },
    citedOnly: (cites) =>
      `${cites}: la frase cita esta llamada, que no tuvo éxito o no contiene lo que dice.`,
    effects: {
      write: "Cambiado:",
      delete: "Borrado:",
      move: "Movido:",
      send: "Enviado:",
      draft: "En borrador:",
      pay: "Pagado o reservado:",
      schedule: "Programado:",
      run: "Ejecutado:",
      control: "Ajustado:",
    },
    actions: {
      write: "cambiar",
      delete: "borrar",
      move: "mover",
      send: "enviar",
      draft: "redactar",
      pay: "pagar o reservar",
      schedule: "programar",
      run: "ejecutar",
      control: "ajustar",
    },
    more: (n) => `y ${n} más`,
    reads: (n) => (n === 1 ? "1 lectura local" : `${n} lecturas locales`),
    sentTo: (hosts) => `Se enviaron datos a ${hosts}`,
    marked: (n) => (n === 1 ? "1 afirmación sin verificar" : `${n} afirmaciones sin verificar`),
    undone: "deshecho después",
    undoOf: "Deshecho:",
    ended: (code) => `terminó con el código ${code}`,
    notDone: {
      failed: "No se hizo, falló: {what}.",
      denied: "No se hizo, dijiste que no: {what}.",
      blocked: "No se hizo, lo bloquea una regla: {what}.",
      changed: "No se hizo, había cambiado después de que lo permitieras: {what}.",
      stopped: "No se hizo, lo detuviste: {what}.",
      expired: "No se hizo, nadie respondió a tiempo: {what}.",
      pending: "Aún no se ha hecho, espera tu aprobación: {what}.",
      unknown:
        "Se inició, pero no llegó resultado: {what}. Puede que haya ocurrido; míralo antes de repetir.",
    },
    and: ", ",
  },
  fr: {
    notVerified: "non vérifié : Elwood n'en a aucune trace",
    notVerifiedAs: {
      undone: "non vérifié : vous l'avez annulé",
      denied: "non vérifié : vous avez refusé",
      failed: "non vérifié : cet appel a échoué",
      done: "non vérifié : Elwood a la trace que c'est fait",
    },
    citedOnly: (cites) =>
      `${cites} : la phrase cite cet appel, qui n'a pas abouti ou ne contient pas ce qu'elle dit.`,
    effects: {
      write: "Modifié :",
      delete: "Supprimé :",
      move: "Déplacé :",
      send: "Envoyé :",
      draft: "Brouillon :",
      pay: "Payé ou réservé :",
      schedule: "Programmé :",
      run: "Exécuté :",
      control: "Réglé :",
    },
    actions: {
      write: "modifier",
      delete: "supprimer",
      move: "déplacer",
      send: "envoyer",
      draft: "rédiger",
      pay: "payer ou réserver",
      schedule: "programmer",
      run: "exécuter",
      control: "régler",
    },
    more: (n) => `et ${n} de plus`,
    reads: (n) => (n === 1 ? "1 lecture locale" : `${n} lectures locales`),
    sentTo: (hosts) => `Des données sont parties vers ${hosts}`,
    marked: (n) => (n === 1 ? "1 affirmation non vérifiée" : `${n} affirmations non vérifiées`),
    undone: "annulé depuis",
    undoOf: "Annulé :",
    ended: (code) => `terminé avec le code ${code}`,
    notDone: {
      failed: "Pas fait, échec : {what}.",
      denied: "Pas fait, vous avez refusé : {what}.",
      blocked: "Pas fait, bloqué par une règle : {what}.",
      changed: "Pas fait, cela avait changé après votre accord : {what}.",
      stopped: "Pas fait, vous l'avez arrêté : {what}.",
      expired: "Pas fait, personne n'a répondu à temps : {what}.",
      pending: "Pas encore fait, cela attend votre accord : {what}.",
      unknown: "Commencé, mais sans résultat : {what}. C'est peut-être arrivé ; regardez avant de réessayer.",
    },
    and: ", ",
  },
  zh: {
    notVerified: "未经核实：Elwood 没有相关记录",
    notVerifiedAs: {
      undone: "未经核实：您已撤销",
      denied: "未经核实：您已拒绝",
      failed: "未经核实：该调用失败",
      done: "未经核实：Elwood 的记录显示已经完成",
    },
    citedOnly: (cites) => `${cites}：这句话引用了该调用，但它未成功，或其中没有所说的内容。`,
    effects: {
      write: "已更改：",
      delete: "已删除：",
      move: "已移动：",
      send: "已发送：",
      draft: "草稿：",
      pay: "已付款或预订：",
      schedule: "已安排：",
      run: "已运行：",
      control: "已设置：",
    },
    actions: {
      write: "更改",
      delete: "删除",
      move: "移动",
      send: "发送",
      draft: "起草",
      pay: "付款或预订",
      schedule: "安排",
      run: "运行",
      control: "设置",
    },
    more: (n) => `另有 ${n} 项`,
    reads: (n) => `${n} 次本地读取`,
    sentTo: (hosts) => `数据发往 ${hosts}`,
    marked: (n) => `${n} 处说法未经核实`,
    undone: "之后已撤销",
    undoOf: "已撤销：",
    ended: (code) => `以代码 ${code} 结束`,
    notDone: {
      failed: "未完成，失败：{what}。",
      denied: "未完成，您已拒绝：{what}。",
      blocked: "未完成，被规则阻止：{what}。",
      changed: "未完成，在您允许之后它已发生变化：{what}。",
      stopped: "未完成，您已停止：{what}。",
      expired: "未完成，没有人及时答复：{what}。",
      pending: "尚未完成，等待您的批准：{what}。",
      unknown: "已开始，但没有得到结果：{what}。可能已经发生；重试前请先查看。",
    },
    and: "、",
  },
  ja: {
    notVerified: "未確認：Elwood に記録がありません",
    notVerifiedAs: {
      undone: "未確認：取り消されています",
      denied: "未確認：承認されませんでした",
      failed: "未確認：その呼び出しは失敗しました",
      done: "未確認：Elwood には実行の記録があります",
    },
    citedOnly: (cites) =>
      `${cites}：この文が引用する呼び出しは、成功しなかったか、述べられた内容を含んでいません。`,
    effects: {
      write: "変更：",
      delete: "削除：",
      move: "移動：",
      send: "送信：",
      draft: "下書き：",
      pay: "支払い・予約：",
      schedule: "予定：",
      run: "実行：",
      control: "設定：",
    },
    actions: {
      write: "変更",
      delete: "削除",
      move: "移動",
      send: "送信",
      draft: "下書き",
      pay: "支払い・予約",
      schedule: "予定",
      run: "実行",
      control: "設定",
    },
    more: (n) => `ほか ${n} 件`,
    reads: (n) => `ローカルの読み取り ${n} 件`,
    sentTo: (hosts) => `データの送信先：${hosts}`,
    marked: (n) => `未確認の記述 ${n} 件`,
    undone: "後で取り消し済み",
    undoOf: "取り消し：",
    ended: (code) => `コード ${code} で終了`,
    notDone: {
      failed: "実行されていません。失敗しました：{what}。",
      denied: "実行されていません。承認されませんでした：{what}。",
      blocked: "実行されていません。ルールで止められました：{what}。",
      changed: "実行されていません。許可された後に内容が変わりました：{what}。",
      stopped: "実行されていません。停止されました：{what}。",
      expired: "実行されていません。期限までに返答がありませんでした：{what}。",
      pending: "まだ実行されていません。承認を待っています：{what}。",
      unknown:
        "開始しましたが結果が返っていません：{what}。実行された可能性があるので、再試行の前に確かめてください。",
    },
    and: "、",
  },
};
