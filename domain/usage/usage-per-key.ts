import type { ResetInterval } from '../../schema/entities/keys.ts'
import type { Context } from '../context.ts'
import { firstDayKept } from '../logs/keep-partitions.ts'

/** The periods of usage: the current UTC day, week or month, or the full retention. */
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
  failedRequests: number
  spentNanos: bigint
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  reasoningTokens: number
}

/**
 * Adds up the usage counters for many keys of an account by one statement. A key without requests has zero of
 * everything.
 */
export async function usagePerKey(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: { accountId: string; keyIds: readonly string[]; period: Period },
): Promise<Usage[]> {
  const [interval, now] = [intervalOf[args.period], clock.now()]
  return sql<Usage[]>`
    with used as (
      select api_key_id, sum(requests) as requests, sum(failed_requests) as failed_requests,
        sum(cost_nanos) as spent_nanos, sum(prompt_tokens) as prompt_tokens, sum(cached_tokens) as cached_tokens,
        sum(cache_creation_tokens) as cache_creation_tokens, sum(completion_tokens) as completion_tokens,
        sum(reasoning_tokens) as reasoning_tokens
      from current_usage_totals
      where account_id = ${args.accountId} and api_key_id = any(${args.keyIds}::uuid[])
        and day >= ${firstDayKept(now)}::date
        and day >= (window_start(${interval}, '-infinity', ${new Date(now)}) at time zone 'UTC')::date
      group by api_key_id
    )
    select wanted.key_id as "keyId", coalesce(requests, 0)::float8 as requests,
      coalesce(failed_requests, 0)::float8 as "failedRequests", coalesce(spent_nanos, 0)::bigint as "spentNanos",
      coalesce(prompt_tokens, 0)::float8 as "promptTokens", coalesce(cached_tokens, 0)::float8 as "cachedTokens",
      coalesce(cache_creation_tokens, 0)::float8 as "cacheCreationTokens",
      coalesce(completion_tokens, 0)::float8 as "completionTokens",
      coalesce(reasoning_tokens, 0)::float8 as "reasoningTokens"
    from unnest(${args.keyIds}::uuid[]) as wanted (key_id)
    left join used on used.api_key_id = wanted.key_id`
}
