import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'

/** Why automatic top-ups were switched off. */
export type StopReason = 'declined' | 'authentication_required' | 'card_removed'

/** The automatic top-up of an account. */
export interface AutomaticTopUp {
  isOn: boolean
  /** A top-up starts when the available credits fall below this amount. */
  thresholdNanos: bigint
  /** The amount of a top-up, without tax. */
  amountNanos: bigint
  /** The maximum amount of all automatic top-ups of a day (UTC), without tax. */
  dailyMaxNanos: bigint
  /** Null if the account switched it off, or if it is on. */
  stopReason: StopReason | null
  /** No top-up starts before this time: the last one was declined, or the maximum of the day is reached. */
  retryAt: Date | null
}

/** The values of an account that never changed them. */
const initial: AutomaticTopUp = {
  isOn: false,
  thresholdNanos: 10n * NANOS_PER_DOLLAR,
  amountNanos: 50n * NANOS_PER_DOLLAR,
  dailyMaxNanos: 200n * NANOS_PER_DOLLAR,
  stopReason: null,
  retryAt: null,
}

/** Reads the automatic top-up of an account. */
export async function readAutomaticTopUp(
  { sql }: { sql: Sql | SqlTransaction },
  { accountId }: { accountId: string },
): Promise<AutomaticTopUp> {
  const [row] = await sql<AutomaticTopUp[]>`
    select is_on as "isOn", threshold_nanos as "thresholdNanos", amount_nanos as "amountNanos",
      daily_max_nanos as "dailyMaxNanos", stop_reason as "stopReason", retry_at as "retryAt"
    from automatic_top_ups where account_id = ${accountId}`
  return row ?? initial
}
