import { GroupCommit } from '../../platform/group-commit.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import {
  type Candidate,
  type CandidateQuestion,
  type CandidateRow,
  type CandidateRows,
  candidateOf,
  readCandidates,
} from './candidates.ts'
import { type CandidateFailure, cannotBeOpened, describeFailure, openOutcomes } from './record-outcomes.ts'

/** What the hot path knows of the accounts' own credentials. */
export interface ByokCache {
  /**
   * The account's enabled credentials for a vendor, in the order in which they are tried: by priority, then newest
   * first. `byokRevision` is that of the key's copy: nothing is read where it is zero, or known already.
   * Throws `unavailable` where Postgres is away, `upstream_auth` where one that must be used cannot be opened,
   * `byok_disabled` where one must be used and all are disabled.
   */
  find(accountId: string, byokRevision: bigint, vendor: string): Promise<readonly Candidate[]>
  /**
   * Keeps how a try ended: a success advances `last_used_at` and clears `last_error`, a failure is written there.
   * Resolves when it is written, or waits for its turn (a row is written once a second while it ends alike).
   */
  recordOutcome(candidate: Candidate, failure?: CandidateFailure): Promise<void>
  /** Writes what waits, and forgets every secret. */
  close(): Promise<void>
}

/** Credentials that nobody asked for are forgotten after so many milliseconds, and the oldest where there are more. */
const idleMs = 10 * 60_000
const maxEntries = 10_000

/** A reading that takes longer has failed: others wait behind it. */
const readPatienceMs = 2_000

interface Entry {
  revision: bigint
  candidates: readonly Candidate[]
  /** Why none may be used: one that must be used cannot be opened, or all that there are are disabled. */
  refusal: ErrorName | undefined
  usedAt: number
}

/** Opens this process's cache. */
export function openByokCache(
  context: Pick<Context, 'sql' | 'vault' | 'config' | 'clock' | 'log'>,
): ByokCache {
  const { sql, clock, log } = context
  const entries = new Map<string, Entry>()
  const outcomes = openOutcomes(context)
  const readings = new GroupCommit<CandidateQuestion, CandidateRows>(asked =>
    withTimeout(readPatienceMs, readCandidates(sql, asked)),
  )
  const sweeper = setInterval(() => forgetIdle(entries, clock.monotonic()), idleMs / 10).unref()

  const read = async (question: CandidateQuestion): Promise<Entry> => {
    const { revision, rows } = await readings.add(question).catch(cause => {
      throw new Problem('unavailable', { retryAfterSeconds: 1, cause })
    })
    const enabled = rows.filter(row => !row.disabled)
    const opened = enabled.map(row => openRow(row))
    const alwaysUse = rows.some(row => row.always_use)
    const isLost = enabled.some((row, index) => row.always_use && !opened[index])
    return {
      revision,
      candidates: opened
        .filter(candidate => candidate !== undefined)
        .map(candidate => ({ ...candidate, alwaysUse })),
      refusal: isLost ? 'upstream_auth' : alwaysUse && enabled.length === 0 ? 'byok_disabled' : undefined,
      usedAt: clock.monotonic(),
    }
  }

  const openRow = (row: CandidateRow): Candidate | undefined => {
    try {
      return candidateOf(context, row)
    } catch (failure) {
      log.error({ err: failure, byokId: row.id }, 'a credential cannot be opened')
      const { account_id: accountId, id } = row
      void outcomes.record({ accountId, id, usedAt: null, error: cannotBeOpened })
      return undefined
    }
  }

  return {
    async find(accountId, byokRevision, vendor) {
      if (byokRevision === 0n) return []
      const name = `${accountId} ${vendor}`
      let entry = entries.get(name)
      if (!entry || entry.revision < byokRevision) {
        entry = await read({ accountId, vendor })
        remember(entries, name, entry)
      }
      entry.usedAt = clock.monotonic()
      if (entry.refusal)
        throw new Problem(entry.refusal, { internal: 'no credential that must be used can be' })
      return entry.candidates
    },
    async recordOutcome(candidate, failure) {
      const { accountId, id } = candidate
      const error = failure ? describeFailure(candidate, failure) : null
      await outcomes.record({ accountId, id, usedAt: failure ? null : clock.now(), error })
    },
    async close() {
      clearInterval(sweeper)
      entries.clear()
      await outcomes.close()
    },
  }
}

/** Of two that were read at the same time the newer stays. */
function remember(entries: Map<string, Entry>, name: string, entry: Entry): void {
  const known = entries.get(name)
  if (known && known.revision > entry.revision) return
  if (entries.size >= maxEntries) entries.delete(entries.keys().next().value!)
  entries.set(name, entry)
}

function forgetIdle(entries: Map<string, Entry>, now: number): void {
  for (const [name, { usedAt }] of entries) if (now - usedAt > idleMs) entries.delete(name)
}
