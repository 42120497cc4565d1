import type { Config } from '../../platform/config/read-config.ts'
import { type CallOutcome, ownCredential } from '../../schema/vendor-reports.ts'
import type { Context } from '../context.ts'
import { type CredentialReport, readReports } from './read-reports.ts'

/** The health of all vendors that the platform can call or whose models it has. */
export interface VendorsHealth {
  /** Number of processes that reported; null if Redis does not answer. */
  processes: number | null
  vendors: VendorHealth[]
}

export interface VendorHealth {
  /** The vendor's label. */
  vendor: string
  /** The vendor's display name in the catalogue. */
  name: string
  /** Number of active models. */
  activeModels: number
  /** The platform's credentials. */
  credentials: CredentialHealth[]
  /** The calls with the customers' own credentials. */
  ownCalls: Calls
}

export interface CredentialHealth {
  name: string
  /** The settings; null for a credential that other processes use and this one does not know. */
  settings: CredentialSettings | null
  /** The state of the breaker that all accounts share; null if no process reported. */
  breaker: 'closed' | 'open' | null
  /** Number of processes in which that breaker is open. */
  openProcesses: number
  /** Number of accounts whose own breaker is open, summed over the processes. */
  openAccounts: number
  calls: Calls
}

/** The settings of a credential, without its secrets. */
export interface CredentialSettings {
  weight: number
  /** Patterns of the models that it may serve; null for all. */
  models: string[] | null
  requestsPerMinute: number | null
  tokensPerMinute: number | null
}

/** The numbers of calls by outcome. Outcomes without calls are missing. */
export type Calls = ReadonlyMap<CallOutcome, number>

const noCalls: Calls = new Map()

/** Reads the health of vendors, in the order of their labels. */
export async function readVendorHealth(
  context: Pick<Context, 'sql' | 'redis' | 'clock' | 'config'>,
): Promise<VendorsHealth> {
  const [reports, known] = await Promise.all([
    readReports(context),
    context.sql<{ label: string; name: string; activeModels: number }[]>`
      select label, coalesce(data ->> 'name', label) as name, (
        select count(*)::int from models m where m.provider = label and m.is_active and not m.is_removed
      ) as "activeModels"
      from vendors order by label`,
  ])
  const vendors = known.map(({ label, name, activeModels }): VendorHealth => {
    const reported = reports?.vendors.get(label) ?? new Map<string, CredentialReport>()
    return {
      vendor: label,
      name,
      activeModels,
      credentials: credentialsOf(context.config, label, {
        reported,
        isReported: (reports?.processes ?? 0) > 0,
      }),
      ownCalls: reported.get(ownCredential)?.calls ?? noCalls,
    }
  })
  return {
    processes: reports?.processes ?? null,
    vendors: vendors.filter(
      ({ activeModels, credentials, ownCalls }) =>
        activeModels > 0 || credentials.length > 0 || ownCalls.size > 0,
    ),
  }
}

/** Returns the configured credentials of a vendor, and the credentials that only other processes have. */
function credentialsOf(
  config: Config,
  label: string,
  { reported, isReported }: { reported: ReadonlyMap<string, CredentialReport>; isReported: boolean },
): CredentialHealth[] {
  const configured = config.vendors.get(label)?.credentials ?? []
  const names = new Set([...configured.map(({ name }) => name), ...reported.keys()])
  names.delete(ownCredential)
  return [...names].map(name => {
    const settings = configured.find(credential => credential.name === name)
    const { openProcesses = 0, openAccounts = 0 } = reported.get(name) ?? {}
    const state = openProcesses > 0 ? 'open' : 'closed'
    return {
      name,
      settings: settings
        ? {
            weight: settings.weight,
            models: settings.models ? [...settings.models] : null,
            requestsPerMinute: settings.requestsPerMinute ?? null,
            tokensPerMinute: settings.tokensPerMinute ?? null,
          }
        : null,
      breaker: isReported ? state : null,
      openProcesses,
      openAccounts,
      calls: reported.get(name)?.calls ?? noCalls,
    }
  })
}
