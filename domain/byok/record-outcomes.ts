import { GroupCommit } from '../../platform/group-commit.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { blankSecrets } from '../../platform/secrets/blank-secrets.ts'
import type { Context } from '../context.ts'
import type { Candidate } from './candidates.ts'

/** How a try with a credential ended. */
export interface Outcome {
  accountId: string
  id: string
  /** When it ended well, in milliseconds since 1970; null where it failed. */
  usedAt: number | null
  /** Why it failed. */
  error: string | null
}

/** What is told of a credential whose secrets do not open. */
export const cannotBeOpened = 'The credential cannot be opened: write its secrets again.'

/** Keeps `last_used_at` and `last_error` of credentials in use. */
export interface Outcomes {
  /** Resolves when the outcome is written, or waits for its turn. Never rejects: what cannot be written is logged. */
  record(outcome: Outcome): Promise<void>
  /** Writes what waits. */
  close(): Promise<void>
}

/** A row that ends alike again and again is written this often, in milliseconds; one that changes, sooner. */
const repeatMs = 1_000
const changeMs = 100

/** Rows remembered before those that nothing waits for are forgotten. */
const maxRemembered = 10_000

interface Memory {
  writtenAt: number
  error: string | null
  waiting: Outcome | undefined
  timer: NodeJS.Timeout | undefined
}

/** Opens it. What arrives while a batch is in flight goes as one statement. */
export function openOutcomes({ sql, clock, log }: Pick<Context, 'sql' | 'clock' | 'log'>): Outcomes {
  const memories = new Map<string, Memory>()
  const writes = new GroupCommit<Outcome, void>(async outcomes => {
    await writeOutcomes(sql, outcomes)
    return outcomes.map(() => undefined)
  })

  const write = async (outcome: Outcome): Promise<void> => {
    if (memories.size > maxRemembered) forgetIdle(memories, clock.monotonic())
    const { id, error } = outcome
    memories.set(id, { writtenAt: clock.monotonic(), error, waiting: undefined, timer: undefined })
    await writes
      .add(outcome)
      .catch(failure =>
        log.warn({ err: failure, byokId: id }, 'the outcome of a credential was not recorded'),
      )
  }

  const writeWaiting = async (memory: Memory): Promise<void> => {
    clearTimeout(memory.timer)
    if (memory.waiting) await write(memory.waiting)
  }

  return {
    async record(outcome) {
      const memory = memories.get(outcome.id)
      if (!memory) return write(outcome)
      const waiting = memory.waiting ? merge(memory.waiting, outcome) : outcome
      memory.waiting = waiting
      clearTimeout(memory.timer)
      const pauseMs = memory.error === waiting.error ? repeatMs : changeMs
      const waitMs = memory.writtenAt + pauseMs - clock.monotonic()
      if (waitMs <= 0) return writeWaiting(memory)
      memory.timer = setTimeout(() => void writeWaiting(memory), waitMs)
    },
    async close() {
      await Promise.all([...memories.values()].map(writeWaiting))
      await writes.idle()
    },
  }
}

/** The later one counts; a success before a failure was a success all the same. */
function merge(earlier: Outcome, later: Outcome): Outcome {
  return { ...later, usedAt: later.usedAt ?? earlier.usedAt }
}

function forgetIdle(memories: Map<string, Memory>, now: number): void {
  for (const [id, { waiting, writtenAt }] of memories)
    if (!waiting && writtenAt + repeatMs <= now) memories.delete(id)
}

/** Writes outcomes by one statement. Rows are locked in the order of their ids, so that two processes cannot wait for each other. */
export async function writeOutcomes(sql: Sql, outcomes: Outcome[]): Promise<void> {
  const byRow = new Map<string, Outcome>()
  for (const outcome of outcomes) {
    const earlier = byRow.get(outcome.id)
    byRow.set(outcome.id, earlier ? merge(earlier, outcome) : outcome)
  }
  const rows = [...byRow.values()].map(({ accountId, id, usedAt, error }) => ({
    account_id: accountId,
    id,
    used_at: usedAt === null ? null : new Date(usedAt).toISOString(),
    error,
  }))
  await sql`
    with locked as materialized (
      select c.account_id, c.id, o.used_at, o.error
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as o (account_id uuid, id uuid, used_at timestamptz, error text)
      join provider_credentials c on c.account_id = o.account_id and c.id = o.id
      order by c.account_id, c.id for no key update of c
    )
    update provider_credentials c set last_used_at = greatest(c.last_used_at, l.used_at), last_error = l.error
    from locked l where c.account_id = l.account_id and c.id = l.id`
}

/** Why a vendor did not answer a candidate. */
export interface CandidateFailure {
  /** The vendor's HTTP status; absent where it did not answer at all. */
  status?: number | undefined
  /** The vendor's words, or ours. */
  message: string
}

/** Longer errors are cut. */
const maxLength = 300

/** A failure in a line: status and words, in which every secret of the credential reads `***`. */
export function describeFailure(
  { secrets }: Pick<Candidate, 'secrets'>,
  { status, message }: CandidateFailure,
): string {
  const words = blankSecrets(message, secrets)
  const line = words.replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ').trim()
  const told = status === undefined ? line : `${status}: ${line}`
  return told.length > maxLength ? `${told.slice(0, maxLength - 1).toWellFormed()}…` : told
}
