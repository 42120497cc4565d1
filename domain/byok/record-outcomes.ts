import { GroupCommit } from '../../platform/group-commit.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { blankSecrets } from '../../platform/secrets/blank-secrets.ts'
import type { Context } from '../context.ts'
import type { Candidate } from './candidates.ts'

/** How a call with a credential ended. */
export interface Outcome {
  accountId: string
  id: string
  /** When it succeeded, in milliseconds since 1970; null where it failed. */
  usedAt: number | null
  /** Why it failed. */
  error: string | null
}

/** The error of a credential whose secrets cannot be opened. */
export const cannotBeOpened = 'The credential cannot be opened: write its secrets again.'

/** Writes `last_used_at` and `last_error` of the credentials in use. */
export interface Outcomes {
  /**
   * Resolves when the outcome is written or queued. Never rejects: an outcome that cannot be written is
   * logged.
   */
  record(outcome: Outcome): Promise<void>
  /** Writes what is queued. */
  close(): Promise<void>
}

/**
 * The pause between two writes of a row, in milliseconds: where the outcome stays the same, and where it
 * changes.
 */
const samePauseMs = 1_000
const changePauseMs = 100

/** When more rows than this are known, those without a queued outcome are dropped. */
const maxRows = 10_000

/** The known state of one row. */
interface RowState {
  /** On the monotonic clock. */
  writtenAt: number
  error: string | null
  queued: Outcome | undefined
  timer: NodeJS.Timeout | undefined
}

/** Opens it. What arrives while a statement runs is written by the next one, together. */
export function openOutcomes({ sql, clock, log }: Pick<Context, 'sql' | 'clock' | 'log'>): Outcomes {
  const rows = new Map<string, RowState>()
  const writes = new GroupCommit<Outcome, void>(async outcomes => {
    await writeOutcomes(sql, outcomes)
    return outcomes.map(() => undefined)
  })

  const write = async (outcome: Outcome): Promise<void> => {
    if (rows.size > maxRows) dropIdle(rows, clock.monotonic())
    const { id, error } = outcome
    rows.set(id, { writtenAt: clock.monotonic(), error, queued: undefined, timer: undefined })
    await writes
      .add(outcome)
      .catch(failure =>
        log.warn({ err: failure, byokId: id }, 'the outcome of a credential was not recorded'),
      )
  }

  const writeQueued = async (row: RowState): Promise<void> => {
    clearTimeout(row.timer)
    if (row.queued) await write(row.queued)
  }

  return {
    async record(outcome) {
      const row = rows.get(outcome.id)
      if (!row) return write(outcome)
      const queued = row.queued ? merge(row.queued, outcome) : outcome
      row.queued = queued
      clearTimeout(row.timer)
      const pauseMs = row.error === queued.error ? samePauseMs : changePauseMs
      const waitMs = row.writtenAt + pauseMs - clock.monotonic()
      if (waitMs <= 0) return writeQueued(row)
      row.timer = setTimeout(() => void writeQueued(row), waitMs)
    },
    async close() {
      await Promise.all([...rows.values()].map(writeQueued))
      await writes.idle()
    },
  }
}

/** The later outcome counts; the time of an earlier success stays. */
function merge(earlier: Outcome, later: Outcome): Outcome {
  return { ...later, usedAt: later.usedAt ?? earlier.usedAt }
}

function dropIdle(rows: Map<string, RowState>, now: number): void {
  for (const [id, { queued, writtenAt }] of rows)
    if (!queued && writtenAt + samePauseMs <= now) rows.delete(id)
}

/**
 * Writes outcomes by one statement. Rows are locked in the order of their ids, so that processes cannot
 * deadlock.
 */
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

/** Why a call with a candidate failed. */
export interface CandidateFailure {
  /** The vendor's HTTP status; absent where it did not answer at all. */
  status?: number | undefined
  /** The vendor's message, or ours. */
  message: string
}

/** Longer messages are cut. */
const maxLength = 300

/**
 * Describes a failure in one line: status and message, in which every secret of the credential reads `***`.
 */
export function describeFailure(
  { secrets }: Pick<Candidate, 'secrets'>,
  { status, message }: CandidateFailure,
): string {
  const line = blankSecrets(message, secrets)
    .replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ')
    .trim()
  const text = status === undefined ? line : `${status}: ${line}`
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text
}
