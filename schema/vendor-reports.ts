/**
 * The reports about vendors that processes write to Redis every `reportIntervalMs`, and from which operators see the
 * health of vendors. A report expires by itself, so ended processes leave nothing behind.
 */

/** Interval at which a process reports, in milliseconds. */
export const reportIntervalMs = 10_000

/** Number of minutes for which calls are counted, the current one included. */
export const callMinutes = 10

/** How a call to a vendor ended. */
export const callOutcomes = [
  ...(['answered', 'auth', 'request', 'busy', 'circuit_open'] as const),
  ...(['broken', 'timeout', 'aborted'] as const),
] as const

export type CallOutcome = (typeof callOutcomes)[number]

/** The credential under which calls with the customers' own credentials are counted. */
export const ownCredential = 'own'

/** The name of the hash with the calls of a minute: `callField` to the number of calls. */
export function callsName(prefix: string, minute: number): string {
  return `${prefix}{vendors}:calls:${minute}`
}

/** The field of calls with one credential and outcome. */
export function callField(vendor: string, credential: string, outcome: CallOutcome): string {
  return `${vendor} ${credential} ${outcome}`
}

/** Reads a field of calls; undefined if another version wrote it. */
export function readCallField(
  field: string,
): { vendor: string; credential: string; outcome: CallOutcome } | undefined {
  const [vendor = '', credential = '', name] = field.split(' ')
  const outcome = callOutcomes.find(known => known === name)
  return outcome && { vendor, credential, outcome }
}

/** The breakers of a credential in one process. */
export interface BreakerReport {
  vendor: string
  /** The name of a platform credential, or `ownCredential`. */
  credential: string
  /** Whether the breaker that all accounts share is open. */
  isOpen: boolean
  /** Number of accounts whose own breaker is open. */
  openAccounts: number
}

/** The name of the hash with the reports of one interval: the ID of the process to its breakers as text. */
export function breakersName(prefix: string, interval: number): string {
  return `${prefix}{vendors}:breakers:${interval}`
}

/** Prints the breakers of a process, one line each. Labels and names of credentials have no spaces. */
export function printBreakers(reports: readonly BreakerReport[]): string {
  return reports
    .map(({ vendor, credential, isOpen, openAccounts }) =>
      [vendor, credential, isOpen ? 'open' : 'closed', openAccounts].join(' '),
    )
    .join('\n')
}

/** Reads the breakers of a process. */
export function readBreakers(text: string): BreakerReport[] {
  return text.split('\n').flatMap(line => {
    const [vendor, credential, state, accounts] = line.split(' ')
    if (!vendor || !credential) return []
    return { vendor, credential, isOpen: state === 'open', openAccounts: Number(accounts) }
  })
}
