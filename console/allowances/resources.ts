import { defineMessages } from '../text/messages.ts'

/** What each resource counts (docs/allowances.md). A resource that this version of the console does not know has its name. */
export const resourceTexts = defineMessages<Record<string, string>>({
  en: {
    key_requests: 'New requests of one API key',
    requests: 'New requests of all API keys',
    polls: 'Reads of tasks, keys and credits with API keys',
    requests_in_flight: 'Requests in one edge process',
    memory_bytes: 'Memory for requests and answers in one edge process',
    callbacks: 'Callbacks and webhooks that one worker sends',
    body_bytes: 'Bodies of requests that one edge process reads',
    worker_steps: 'Steps of tasks that one worker runs',
    running_tasks: 'Tasks that have not ended',
    confirmation_mails: 'E-mails to confirm or change an address',
    invitations: 'Open invitations',
    invitation_mails: 'E-mails with invitations',
    alert_notices: 'Balance alerts that are sent',
    credentials_per_vendor: 'Own credentials for one vendor',
    credential_tests: 'Tests of own credentials',
    webhook_tests: 'Tests of the alert webhook',
    own_calls: 'Calls with own credentials from one edge process',
    refused_rows: 'Refused requests in the log, from one edge process',
    input_files: 'Uploaded files',
    input_bytes: 'Size of uploaded files',
    own_result_bytes: 'Size of stored results of own credentials',
    kept_answer_bytes: 'Answers that are kept for an Idempotency-Key',
    queries: 'Lists, searches and exports that run in one process',
    management_calls: 'Calls to the graph and the REST API',
    subscriptions: 'Open subscriptions in one process',
    exports: 'Exports that one process sends',
    keys: 'API keys',
    budgets: 'Budgets',
  },
  de: {
    key_requests: 'Neue Anfragen eines API-Schlüssels',
    requests: 'Neue Anfragen aller API-Schlüssel',
    polls: 'Abfragen von Aufgaben, Schlüsseln und Guthaben mit API-Schlüsseln',
    requests_in_flight: 'Anfragen in einem Edge-Prozess',
    memory_bytes: 'Speicher für Anfragen und Antworten in einem Edge-Prozess',
    callbacks: 'Callbacks und Webhooks, die ein Worker sendet',
    body_bytes: 'Inhalte von Anfragen, die ein Edge-Prozess liest',
    worker_steps: 'Schritte von Aufgaben, die ein Worker ausführt',
    running_tasks: 'Aufgaben, die nicht beendet sind',
    confirmation_mails: 'E-Mails zur Bestätigung oder Änderung einer Adresse',
    invitations: 'Offene Einladungen',
    invitation_mails: 'E-Mails mit Einladungen',
    alert_notices: 'Gesendete Guthaben-Warnungen',
    credentials_per_vendor: 'Eigene Zugänge zu einem Anbieter',
    credential_tests: 'Tests eigener Zugänge',
    webhook_tests: 'Tests des Webhooks für Warnungen',
    own_calls: 'Aufrufe mit eigenen Zugängen aus einem Edge-Prozess',
    refused_rows: 'Abgelehnte Anfragen im Protokoll, aus einem Edge-Prozess',
    input_files: 'Hochgeladene Dateien',
    input_bytes: 'Größe hochgeladener Dateien',
    own_result_bytes: 'Größe gespeicherter Ergebnisse eigener Zugänge',
    kept_answer_bytes: 'Antworten, die für einen Idempotency-Key aufbewahrt werden',
    queries: 'Listen, Suchen und Exporte, die in einem Prozess laufen',
    management_calls: 'Aufrufe des Graphen und der REST-API',
    subscriptions: 'Offene Abonnements in einem Prozess',
    exports: 'Exporte, die ein Prozess sendet',
    keys: 'API-Schlüssel',
    budgets: 'Budgets',
  },
})

export function resourceText(texts: Record<string, string>, resource: string): string {
  return (Object.hasOwn(texts, resource) ? texts[resource] : undefined) ?? resource
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Returns a limit as text. A number of bytes has the largest unit in which it is at least 1. */
export function limitText({ limit, unit }: { limit: number; unit: string }, language: string): string {
  if (unit !== 'bytes') return new Intl.NumberFormat(language).format(limit)
  const step = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, limit)) / 3))
  const style = { style: 'unit', unit: byteUnits[step], maximumFractionDigits: 2 } as const
  return new Intl.NumberFormat(language, style).format(limit / 1000 ** step)
}

const windowUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Returns the length of a window as text, in the largest unit of which it is a multiple. */
export function windowText(seconds: number, language: string): string {
  const [unit, size] = windowUnits.find(([, length]) => seconds % length === 0) ?? ['second', 1]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size)
}
