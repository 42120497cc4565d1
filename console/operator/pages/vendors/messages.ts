import { counted, defineMessages } from '../../../text/language.ts'

export const messages = defineMessages({
  en: {
    title: 'Vendors',
    intro:
      "The platform's credentials, and how vendors answer. A breaker stops calls with a credential while its vendor fails again and again, and tries again by itself.",
    reports: (processes: string, minutes: number) =>
      `${counted(processes, 'process reports', 'processes report')} every ten seconds. Calls are those of the last ${minutes} minutes.`,
    noRedis: 'Redis does not answer: breakers and calls are unknown.',
    noReports:
      'No process has reported in the last seconds. Edges and workers report when they run with the same Redis.',
    emptyTitle: 'No vendors',
    empty: 'Vendors appear here when the catalogue has their models.',
    models: (count: string) => counted(count, 'active model', 'active models'),
    noCredentials: 'The platform has no credential: only customers with their own can call this vendor.',
    vendor: 'Vendor',
    credential: 'Credential',
    breaker: 'Breaker',
    calls: 'Calls',
    ownCalls: "Customers' own credentials",
    elsewhere: 'This control plane does not know it',
    weight: (weight: string) => `weight ${weight}`,
    requestsPerMinute: (count: string) => `${count} requests a minute`,
    tokensPerMinute: (count: string) => `${count} tokens a minute`,
    unknown: 'Unknown',
    closed: 'Closed',
    open: (processes: string) => `Open in ${counted(processes, 'process', 'processes')}`,
    openAccounts: (count: string) => `Open for ${counted(count, 'account', 'accounts')}`,
    noCalls: 'No calls',
    answered: (count: string) => `${count} answered`,
    failed: (count: string, share: string) => `${count} failed (${share})`,
    failures: {
      broken: 'broken',
      timeouts: 'timeout',
      busy: 'busy',
      refusedCredentials: 'credential refused',
      stopped: 'stopped by a breaker',
    },
  },
  de: {
    title: 'Anbieter',
    intro:
      'Die Zugänge der Plattform, und wie die Anbieter antworten. Ein Schutzschalter hält Aufrufe mit einem Zugang an, solange sein Anbieter immer wieder versagt, und versucht es von selbst erneut.',
    reports: (processes: string, minutes: number) =>
      `${processes} Prozesse berichten alle zehn Sekunden. Aufrufe sind die der letzten ${minutes} Minuten.`,
    noRedis: 'Redis antwortet nicht: Schutzschalter und Aufrufe sind unbekannt.',
    noReports:
      'In den letzten Sekunden hat kein Prozess berichtet. Edges und Worker berichten, wenn sie mit demselben Redis laufen.',
    emptyTitle: 'Keine Anbieter',
    empty: 'Anbieter erscheinen hier, wenn der Katalog ihre Modelle enthält.',
    models: (count: string) => counted(count, 'aktives Modell', 'aktive Modelle'),
    noCredentials:
      'Die Plattform hat keinen Zugang: Nur Kunden mit eigenem Zugang können diesen Anbieter aufrufen.',
    vendor: 'Anbieter',
    credential: 'Zugang',
    breaker: 'Schutzschalter',
    calls: 'Aufrufe',
    ownCalls: 'Eigene Zugänge der Kunden',
    elsewhere: 'Diese Control Plane kennt ihn nicht',
    weight: (weight: string) => `Gewicht ${weight}`,
    requestsPerMinute: (count: string) => `${count} Anfragen je Minute`,
    tokensPerMinute: (count: string) => `${count} Tokens je Minute`,
    unknown: 'Unbekannt',
    closed: 'Geschlossen',
    open: (processes: string) => `Offen in ${counted(processes, 'Prozess', 'Prozessen')}`,
    openAccounts: (count: string) => `Offen für ${counted(count, 'Konto', 'Konten')}`,
    noCalls: 'Keine Aufrufe',
    answered: (count: string) => `${count} beantwortet`,
    failed: (count: string, share: string) => `${count} gescheitert (${share})`,
    failures: {
      broken: 'fehlerhaft',
      timeouts: 'Zeitüberschreitung',
      busy: 'überlastet',
      refusedCredentials: 'Zugang abgelehnt',
      stopped: 'vom Schutzschalter angehalten',
    },
  },
})
