import type { ResetInterval } from '../../schema/entities/keys.ts'
import type { Context } from '../context.ts'

/** The periods that usage is summed over: the current UTC day, week or month, or all that the log retains. */
export const periods = ['day', 'week', 'month', 'retained'] as const
export type Period = (typeof periods)[number]

/**
 * The reset interval of a spend cap with the same period: one function of Postgres knows the start of both.
 */
const intervalOf: Readonly<Record<Period, ResetInterval>> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  retained: 'none',
}

/** The usage of one key in a period. */
export interface Usage {
  keyId: string
  /** Every logged request, including failed ones and those with the account's own credentials. */
  requests: number
  spentNanos: bigint
  promptTokens: number
  completionTokens: number
}

/**
 * Sums the request log for many keys of an account by one statement. A key without requests has zero of
 * everything. Only the partitions of the period are read.
 */
export async function usagePerKey(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: { accountId: string; keyIds: readonly string[]; period: Period },
): Promise<Usage[]> {
  const [interval, now] = [intervalOf[args.period], new Date(clock.now())]
  return sql<Usage[]>`
    with used as (
      select api_key_id, count(*) as requests, sum(cost_nanos) as spent_nanos,
        sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens
      from request_logs
      where account_id = ${args.accountId} and api_key_id = any(${args.keyIds}::uuid[])
        and created_at >= window_start(${interval}, '-infinity', ${now})
      group by api_key_id
    )
    select wanted.key_id as "keyId", coalesce(requests, 0)::float8 as requests,
      coalesce(spent_nanos, 0)::bigint as "spentNanos", coalesce(prompt_tokens, 0)::float8 as "promptTokens",
      coalesce(completion_tokens, 0)::float8 as "completionTokens"
    from unnest(${args.keyIds}::uuid[]) as wanted (key_id)
    left join used on used.api_key_id = wanted.key_id`
}
