import type { CreditTotals } from '../../domain/billing/read-credit-totals.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { KeySpending } from '../../domain/keys/read-spending.ts'
import type { AttemptRecord, RequestLog } from '../../domain/logs/request-log.ts'
import { dollars } from '../../platform/money.ts'
import type {
  CreditsAnswer,
  GenerationAnswer,
  KeyAnswer,
} from '../../schema/operations/account-operations.ts'

/** Presents the key that calls, in OpenRouter's shape. */
export function presentKey(
  { isPaying, isProvisioning }: CachedKey,
  { name, limitNanos, resetInterval, spentNanos, expiresAt, ...spending }: KeySpending,
): KeyAnswer['data'] {
  const leftNanos = limitNanos === null || spentNanos > limitNanos ? 0n : limitNanos - spentNanos
  return {
    label: name,
    limit: limitNanos === null ? null : dollars(limitNanos),
    limit_remaining: limitNanos === null ? null : dollars(leftNanos),
    limit_reset: resetInterval === 'none' ? null : resetInterval,
    usage: dollars(spending.totalNanos),
    usage_daily: dollars(spending.dayNanos),
    usage_weekly: dollars(spending.weekNanos),
    usage_monthly: dollars(spending.monthNanos),
    byok_usage: 0,
    include_byok_in_limit: false,
    is_free_tier: !isPaying,
    is_provisioning_key: isProvisioning,
    expires_at: expiresAt?.toISOString() ?? null,
  }
}

/** Presents the credits of an account, in OpenRouter's shape. */
export function presentCredits({ creditsNanos, spentNanos }: CreditTotals): CreditsAnswer['data'] {
  return { total_credits: dollars(creditsNanos + spentNanos), total_usage: dollars(spentNanos) }
}

/** Presents a request of the log, in OpenRouter's shape. Their token counts are the vendor's, as ours are. */
export function presentGeneration(log: RequestLog): GenerationAnswer['data'] {
  const cost = dollars(log.costNanos)
  return {
    id: log.id,
    upstream_id: log.upstreamRequestId,
    created_at: log.createdAt.toISOString(),
    api_type: log.route,
    model: log.answeredBy ?? log.model,
    provider_name: log.vendor,
    is_byok: log.byokId !== null,
    status: log.status,
    error_code: log.errorCode,
    streamed: log.streamed,
    cancelled: log.status === 499,
    total_cost: cost,
    usage: cost,
    tokens_prompt: log.promptTokens,
    tokens_completion: log.completionTokens,
    native_tokens_prompt: log.promptTokens,
    native_tokens_completion: log.completionTokens,
    native_tokens_reasoning: log.reasoningTokens,
    native_tokens_cached: log.cachedTokens,
    external_user: log.endUser,
    latency: log.firstByteMs,
    generation_time: log.durationMs,
    provider_responses: log.attempts?.map(presentAttempt) ?? null,
  }
}

function presentAttempt({ credentialId, model, durationMs, status }: AttemptRecord) {
  return { model_permaslug: model, is_byok: credentialId !== null, latency: durationMs, status }
}
