import type { ProblemTexts } from './text-in.ts'

export const nothingCharged = 'Es wurde nichts berechnet.'

const roles = new Map([
  ['owner', 'Inhaber'],
  ['admin', 'Administrator'],
  ['developer', 'Entwickler'],
  ['billing', 'Abrechnung'],
  ['viewer', 'Betrachter'],
])

const spans = new Map([
  ['minute', 'Minute'],
  ['hour', 'Stunde'],
  ['day', 'Tag'],
])

/** Texts of errors whose English message has values, or says more than their name. */
export const germanMessages: ProblemTexts['byMessage'] = [
  [/^A value is invalid\.$/, () => 'Ein Wert ist ungültig.'],
  [/^\S+ must have at most (\d+) characters\.$/, max => `Höchstens ${max} Zeichen.`],
  [/^\S+ must have (\d+) to (\d+) characters\.$/, (min, max) => `${min} bis ${max} Zeichen.`],
  [/^\S+ must be (\d+) to (\d+) dollars\.$/, (min, max) => `${min} bis ${max} Dollar.`],
  [/^\S+ must be at most (\d+) dollars\.$/, max => `Höchstens ${max} Dollar.`],
  [
    /^\S+ must be more than 0, and at most (\d+) dollars\.$/,
    max => `Mehr als 0 und höchstens ${max} Dollar.`,
  ],
  [
    /^\S+ must be at least the amount, and at most (\d+) dollars\.$/,
    max => `Mindestens so viel wie der Betrag, und höchstens ${max} Dollar.`,
  ],
  [/^\S+ must have at most two decimals\.$/, () => 'Höchstens zwei Nachkommastellen.'],
  [/^\S+ must not be empty\.$/, () => 'Darf nicht leer sein.'],
  [/^\S+ must not be negative\.$/, () => 'Darf nicht negativ sein.'],
  [/^\S+ must be more than 0\.$/, () => 'Muss mehr als 0 sein.'],
  [/^\S+ is required\.$/, () => 'Muss angegeben werden.'],
  [/^\S+ must be an e-mail address\.$/, () => 'Geben Sie eine E-Mail-Adresse an.'],
  [/^\S+ must be an absolute address\.$/, () => 'Geben Sie eine vollständige Adresse an, mit https://.'],
  [/^\S+ must be a whole number\.$/, () => 'Muss eine ganze Zahl sein.'],
  [/^\S+ must be text\.$/, () => 'Muss Text sein.'],
  [/^\S+ must have at least one scope\.$/, () => 'Wählen Sie mindestens einen Bereich.'],
  [/^\S+ must be written again/, () => 'Geben Sie es neu ein, weil sich die Adresse ändert.'],
  [
    /^An entry must be an IPv4 address or CIDR range\.$/,
    () => 'Geben Sie IPv4-Adressen oder CIDR-Bereiche an.',
  ],
  [
    /^A pattern must be a name/,
    () => 'Geben Sie einen Namen an, oder einen Teil davon mit * für beliebige Zeichen.',
  ],
  [
    /^The role (\w+) does not permit this operation\.$/,
    (role = '') => `Ihre Rolle in diesem Konto, ${roles.get(role.toLowerCase()) ?? role}, erlaubt das nicht.`,
  ],
  [/^The credential is not permitted/, () => 'Das ist Ihnen nicht erlaubt.'],
  [
    /^Your role in this account cannot use the playground/,
    () => 'Ihre Rolle erlaubt den Playground nicht, weil er Guthaben ausgibt.',
  ],
  [
    /^Rate limit exceeded \(\w+: (\d+) (requests|tokens) per (minute|hour|day)\)\. Retry after (\d+) s\.$/,
    (count, unit, span, seconds) =>
      `Die Grenze von ${count} ${unit === 'tokens' ? 'Tokens' : 'Anfragen'} je ${spans.get(span ?? '')} ist erreicht. Versuchen Sie es in ${seconds} Sekunden noch einmal.`,
  ],
  [
    /^The account's allowance of (\S+) is used up \((\d+) .*\)\. Retry after (\d+) s\./,
    (resource, limit, seconds) =>
      `Das Kontingent des Kontos für ${resource} (${limit}) ist aufgebraucht. Versuchen Sie es in ${seconds} Sekunden noch einmal.`,
  ],
  [
    /^The account has no webhook for alerts/,
    () => 'Das Konto hat keinen Webhook für Warnungen. Speichern Sie zuerst seine Adresse.',
  ],
  [/^An account has at most (\d+) balance alerts\.$/, max => `Ein Konto hat höchstens ${max} Warnungen.`],
  [
    /^The account may have at most (\d+) API keys\./,
    max => `Ein Konto hat höchstens ${max} API-Schlüssel. Widerrufen Sie einen, den Sie nicht mehr brauchen.`,
  ],
  [
    /^The account may have at most (\d+) budgets\./,
    max => `Ein Konto hat höchstens ${max} Budgets. Löschen Sie eines, das Sie nicht mehr brauchen.`,
  ],
  [
    /^The account can have at most (\d+) open invitations/,
    max => `Das Konto hat schon ${max} offene Einladungen. Widerrufen Sie zuerst eine.`,
  ],
  [
    /^The account can have at most (.+)\. Delete an unused one first\.$/,
    max =>
      `Das Konto hat die Höchstzahl erreicht (${max}). Löschen Sie zuerst einen, den Sie nicht brauchen.`,
  ],
  [/already has a budget\.$/, () => 'Dafür gibt es schon ein Budget.'],
  [
    /^The budget of .+ has reached its limit/,
    () => 'Ein Budget ist für diesen Zeitraum ausgeschöpft, laufende Anfragen eingerechnet.',
  ],
  [
    /^(\d+) top-ups of the last hour are not paid\./,
    count =>
      `${count} Aufladungen der letzten Stunde sind nicht bezahlt. Bezahlen Sie eine, oder warten Sie, bis sie eine Stunde alt sind.`,
  ],
  [/^The account has no saved card\.$/, () => 'Das Konto hat keine gespeicherte Karte.'],
  [
    /^The card processor does not respond\./,
    () => `Der Zahlungsdienst antwortet nicht. ${nothingCharged} Versuchen Sie es später.`,
  ],
  [
    /^The card processor is busy or has a fault\./,
    () => `Der Zahlungsdienst ist gestört oder ausgelastet. ${nothingCharged} Versuchen Sie es später.`,
  ],
  [
    /^The card processor refused the request\./,
    () => `Der Zahlungsdienst hat die Anfrage abgelehnt. ${nothingCharged} Den Grund kennt der Betreiber.`,
  ],
  [
    /^Confirm your e-mail address before you invite others\.$/,
    () => 'Bestätigen Sie Ihre E-Mail-Adresse, bevor Sie andere einladen.',
  ],
  [
    /^This address already has an invitation\./,
    () =>
      'Diese Adresse hat schon eine Einladung. Senden Sie sie noch einmal, oder widerrufen Sie sie zuerst.',
  ],
  [
    /^The person with this address is already a member\.$/,
    () => 'Die Person mit dieser Adresse ist schon Mitglied.',
  ],
  [
    /^Your identity provider manages your sign-in\.$/,
    () => 'Ihr Identitätsanbieter verwaltet Ihre Anmeldung.',
  ],
  [
    /^Your identity provider manages your address/,
    () => 'Ihr Identitätsanbieter verwaltet Ihre Adresse. Sie lässt sich nur dort ändern.',
  ],
  [
    /^Your identity provider does not sign you in to this account\./,
    () =>
      'Ihr Identitätsanbieter meldet Sie nicht in diesem Konto an. Melden Sie sich auf einem anderen Weg an.',
  ],
  [
    /^An identity provider manages the addresses of (\S+)\. /,
    domain => `Ein Identitätsanbieter verwaltet die Adressen von ${domain}. Melden Sie sich dort an.`,
  ],
  [
    /^Add a second factor to your own sign-in before/,
    () => 'Fügen Sie Ihrer eigenen Anmeldung einen zweiten Faktor hinzu, bevor Sie ihn von allen verlangen.',
  ],
  [
    /^The account requires a second factor, and this is your last one\./,
    () =>
      'Das Konto verlangt einen zweiten Faktor, und das ist Ihr letzter. Fügen Sie zuerst einen anderen hinzu.',
  ],
  [
    /^Recovery codes replace a second factor/,
    () =>
      'Wiederherstellungscodes ersetzen einen zweiten Faktor, und Sie haben keinen. Fügen Sie zuerst einen hinzu.',
  ],
  [
    /^A user can have at most (\d+) second factors\./,
    max => `Höchstens ${max} zweite Faktoren. Entfernen Sie zuerst einen.`,
  ],
  [
    /^An export of this account is running\./,
    () => 'Ein Export dieses Kontos läuft. Versuchen Sie es, wenn er beendet ist.',
  ],
  [
    /^The account cannot be reopened/,
    () => 'Das Konto lässt sich nicht mehr öffnen: Seine Daten werden schon gelöscht.',
  ],
  [/^The account is not closed\.$/, () => 'Das Konto ist nicht geschlossen.'],
  [
    /^The delivery has had (\d+) attempts/,
    count => `Die Zustellung hatte schon ${count} Versuche und lässt sich nicht noch einmal senden.`,
  ],
  [/^The log contains no request with this ID\.$/, () => 'Es gibt keine Anfrage mit dieser ID.'],
  [/^There is no active (?:\S+ )?model (.+)\.$/, model => `Es gibt kein aktives Modell ${model}.`],
  [
    /^The query reads too much\./,
    () =>
      'Die Abfrage liest zu viel. Wählen Sie einen kürzeren Zeitraum, oder weniger Schlüssel oder Modelle.',
  ],
  [
    /read it again before changing it\.$/,
    () => 'Jemand hat das inzwischen geändert. Laden Sie es neu, bevor Sie es ändern.',
  ],
  [/^Not found\. Check the method/, () => 'Das gibt es nicht, oder es wurde entfernt.'],
  [/^The vendor failed to respond\./, () => `Der Anbieter hat nicht geantwortet. ${nothingCharged}`],
  [/^The service is overloaded\./, () => 'Der Dienst ist überlastet. Versuchen Sie es später.'],
  [
    /^A required service is unavailable\./,
    () => `Ein Teil des Dienstes ist nicht erreichbar. ${nothingCharged} Versuchen Sie es später.`,
  ],
  [
    /^The request conflicts with the current state\.$/,
    () => 'Das passt nicht zum jetzigen Zustand. Laden Sie die Seite neu.',
  ],
]
