import { defineMessages } from '../../../text/language.ts'

export const messages = defineMessages({
  en: {
    title: 'Books',
    intro: 'Whether the records of money agree with one another, and payments that need a decision.',
    reconciliation: 'Reconciliation',
    compare: 'Compare the books',
    stop: 'Stop',
    notCompared: 'Not compared yet',
    notComparedText:
      "Compares each account's balance with its transactions, holds, keys and requests, as npm run reconcile does. It only reads.",
    account: 'Account',
    fault: 'Difference',
    differences: 'Differences',
    expected: 'Expected',
    found: 'Stored',
    equal: 'All books agree.',
    none: 'No difference so far.',
    differ: (count: string) => `Differences: ${count}`,
    states: {
      running: (accounts: string) => `${accounts} accounts compared so far, since`,
      stopped: (accounts: string) => `Stopped after ${accounts} accounts, started at`,
      done: (accounts: string) => `${accounts} accounts compared, started at`,
      failed: (accounts: string) => `Interrupted after ${accounts} accounts, started at`,
    },
    whatToDo:
      'A difference is a fault of the system, never of a customer. Compare again in a minute; if it stays, see docs/operations.md before you change anything by hand.',
    stuck: 'Automatic top-ups without an outcome',
    stuckText:
      'Top-ups in progress for 75 minutes: Stripe does not answer, or does not know the charge. Look for the charge in the dashboard of Stripe before you end one.',
    noStuck: 'No top-up is stuck',
    started: 'Started',
    amount: 'Amount',
    end: 'End',
    endTitle: (amount: string) => `End the top-up of ${amount}?`,
    endText:
      'The charge is cancelled at Stripe, and the top-up ends as failed. No credits are added, and the account can be topped up automatically again.',
    ended: 'The top-up has ended.',
  },
  de: {
    title: 'Bücher',
    intro: 'Ob die Aufzeichnungen über Geld übereinstimmen, und Zahlungen, die eine Entscheidung brauchen.',
    reconciliation: 'Abgleich',
    compare: 'Bücher abgleichen',
    stop: 'Anhalten',
    notCompared: 'Noch nicht abgeglichen',
    notComparedText:
      'Vergleicht das Guthaben jedes Kontos mit seinen Buchungen, Vormerkungen, Schlüsseln und Anfragen, wie npm run reconcile. Es wird nur gelesen.',
    account: 'Konto',
    fault: 'Abweichung',
    differences: 'Abweichungen',
    expected: 'Erwartet',
    found: 'Gespeichert',
    equal: 'Alle Bücher stimmen überein.',
    none: 'Bisher keine Abweichung.',
    differ: (count: string) => `Abweichungen: ${count}`,
    states: {
      running: (accounts: string) => `Bisher ${accounts} Konten abgeglichen, seit`,
      stopped: (accounts: string) => `Nach ${accounts} Konten angehalten, begonnen um`,
      done: (accounts: string) => `${accounts} Konten abgeglichen, begonnen um`,
      failed: (accounts: string) => `Nach ${accounts} Konten unterbrochen, begonnen um`,
    },
    whatToDo:
      'Eine Abweichung ist ein Fehler des Systems, nie eines Kunden. Gleichen Sie in einer Minute erneut ab; bleibt sie, lesen Sie docs/operations.md, bevor Sie von Hand etwas ändern.',
    stuck: 'Automatische Aufladungen ohne Ergebnis',
    stuckText:
      'Aufladungen, die seit 75 Minuten laufen: Stripe antwortet nicht oder kennt die Zahlung nicht. Suchen Sie die Zahlung im Dashboard von Stripe, bevor Sie eine beenden.',
    noStuck: 'Keine Aufladung hängt',
    started: 'Begonnen',
    amount: 'Betrag',
    end: 'Beenden',
    endTitle: (amount: string) => `Die Aufladung über ${amount} beenden?`,
    endText:
      'Die Zahlung wird bei Stripe abgebrochen, und die Aufladung endet als gescheitert. Es wird nichts gutgeschrieben, und das Konto kann wieder automatisch aufgeladen werden.',
    ended: 'Die Aufladung ist beendet.',
  },
})
