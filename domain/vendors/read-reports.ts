import { getOrCreate } from '../../platform/get-or-create.ts'
import { minuteOf } from '../../platform/redis/minute-counts.ts'
import { runPipeline } from '../../platform/redis/open-redis.ts'
import {
  breakersName,
  type CallOutcome,
  callMinutes,
  callsName,
  readBreakers,
  readCallField,
  reportIntervalMs,
} from '../../schema/vendor-reports.ts'
import type { Context } from '../context.ts'

/** The reports about one credential. */
export interface CredentialReport {
  /** Number of processes in which the breaker that all accounts share is open. */
  openProcesses: number
  /** Number of accounts whose own breaker is open, summed over the processes. */
  openAccounts: number
  /** The calls of the last `callMinutes` minutes. */
  calls: Map<CallOutcome, number>
}

/** The reports of all processes. */
export interface VendorReports {
  /** Number of processes that reported within the last interval or two. */
  processes: number
  /** By vendor, and then by the name of the credential. */
  vendors: Map<string, Map<string, CredentialReport>>
}

type ReportContext = Pick<Context, 'redis' | 'clock' | 'config'>

/** Reads the reports of all processes that call vendors. Resolves to undefined if Redis does not answer. */
export async function readReports(context: ReportContext): Promise<VendorReports | undefined> {
  const { redis, clock, config } = context
  const minute = minuteOf(clock)
  const interval = Math.floor(clock.now() / reportIntervalMs)
  const pipeline = redis.pipeline()
  // The clocks of machines differ a little, so the next interval is read too.
  for (const at of [interval - 1, interval, interval + 1])
    pipeline.hgetall(breakersName(config.redisPrefix, at))
  for (let age = 0; age < callMinutes; age++) pipeline.hgetall(callsName(config.redisPrefix, minute - age))
  const answers = await runPipeline(pipeline).catch(() => null)
  if (!answers || answers.some(([error]) => error !== null)) return undefined
  const hashes = answers.map(([, hash]) => Object.entries((hash ?? {}) as Record<string, string>))
  const vendors = new Map<string, Map<string, CredentialReport>>()
  const reportOf = (vendor: string, credential: string) =>
    getOrCreate(
      getOrCreate(vendors, vendor, () => new Map<string, CredentialReport>()),
      credential,
      () => ({ openProcesses: 0, openAccounts: 0, calls: new Map() }),
    )
  const processes = new Map(hashes.slice(0, 3).flat()) // the latest report of each process
  for (const text of processes.values())
    for (const { vendor, credential, isOpen, openAccounts } of readBreakers(text)) {
      const report = reportOf(vendor, credential)
      report.openProcesses += isOpen ? 1 : 0
      report.openAccounts += openAccounts
    }
  for (const [field, count] of hashes.slice(3).flat()) {
    const call = readCallField(field)
    if (!call) continue
    const { calls } = reportOf(call.vendor, call.credential)
    calls.set(call.outcome, (calls.get(call.outcome) ?? 0) + Number(count))
  }
  return { processes: processes.size, vendors }
}
