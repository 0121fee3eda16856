import type { CsvRow } from "@/lib/core/csv-rows";
import { has, wordsOf } from "./file-columns";
import { wordsIn } from "./file-headings";

/**
 * The columns of a file that say who accepts marketing, by index. What they say is shown and not imported: a contact keeps only
 * a stop that its person sent or set in WhatsApp, and takes back alike.
 */
export function consentColumns(headings: readonly string[]): number[] {
  const isConsent = (heading: string) => has(heading, ASKS_CONSENT) || has(heading, SAYS_STOP);
  return headings.map(wordsOf).flatMap((heading, at) => (isConsent(heading) ? [at] : []));
}

/** Those of the columns in which a row does not accept it: a no, or anything but a no below "Unsubscribed". */
export function refusedIn({ cells }: CsvRow, columns: readonly number[], headings: readonly string[]): number[] {
  return columns.filter((at) => {
    const said = wordsOf(cells[at] ?? "");
    if (said === "" || IS_UNKNOWN.test(said)) return false;
    return NO.has(said) !== has(wordsOf(headings[at] ?? ""), SAYS_STOP);
  });
}

const IS_UNKNOWN = /^(?:n a|none|null|unknown)$/;

/** Headings of whether a person accepts marketing. */
const ASKS_CONSENT = wordsIn(
  `marketing, newsletter, newsletters, subscribed, subscription, subscriber, opt in, optin, opted in, consent|
   publicidad, consentimiento, suscrito, suscripción|
   publicidade, consentimento, inscrito|
   सहमति, मार्केटिंग|
   persetujuan, pemasaran|
   موافقة, الموافقة, تسويق|
   werbung, werbeeinwilligung, werbeerlaubnis, einwilligung, zustimmung|
   publicité, consentement, abonné|
   pubblicità, consenso, iscritto|
   izin, izni, onay, onayı, pazarlama|
   согласие, рассылка, реклама|
   رضامندی|
   reclame, toestemming, nieuwsbrief|
   メルマガ, メルマガ配信, 広告配信, 同意|
   营销, 订阅, 同意|
   마케팅, 수신동의|
   সম্মতি`,
);

/** Headings of who does not accept it: a yes below them is a no. */
const SAYS_STOP = wordsIn(
  `unsubscribed, unsubscribe, unsub, opt out, optout, opted out, do not contact, do not call, do not email, do not mail, do not text, no marketing, marketing stopped, blacklisted|
   dado de baja, baja, no contactar|
   descadastrado|
   abgemeldet, keine werbung, werbesperre, werbewiderspruch, widerspruch, gesperrt|
   désabonné, désinscrit, opposition|
   disiscritto|
   uitgeschreven, geen reclame|
   отписан`,
);

/** What such a cell says in place of no, of the languages above. */
const NO: ReadonlySet<string> = new Set(
  wordsIn(
    `no, n, false, 0, off, never, not subscribed, non subscribed, unsubscribed, opted out, opt out, non marketing contact, denied, rejected|
     não, nao, falso, नहीं, tidak, لا, nein, falsch, abgemeldet, abgelehnt, non, faux, désabonné, hayır, hayir, нет, نہیں, nee|
     いいえ, 否, 아니요, না`,
  ),
);
