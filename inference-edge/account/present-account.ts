import type { CreditTotals } from '../../domain/billing/read-credit-totals.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { KeySpending } from '../../domain/keys/read-spending.ts'
import type { AttemptRecord, RequestLog } from '../../domain/logs/request-log.ts'
import type { RateLimits } from '../../domain/rates/window.ts'
import { dollars } from '../../platform/money.ts'
import type {
  CreditsAnswer,
  GenerationAnswer,
  KeyAnswer,
} from '../../schema/operations/account-operations.ts'

/** Presents the key that calls, in OpenRouter's shape. `limits` apply to its requests. */
export function presentKey(
  { isPaying, isProvisioning }: CachedKey,
  { name, createdBy, limitNanos, resetInterval, spentNanos, expiresAt, ...spending }: KeySpending,
  { burst, burstWindowMs }: RateLimits,
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
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
    include_byok_in_limit: false,
    is_free_tier: !isPaying,
    is_provisioning_key: isProvisioning,
    is_management_key: isProvisioning,
    creator_user_id: createdBy,
    expires_at: expiresAt?.toISOString() ?? null,
    rate_limit: {
      requests: burst,
      interval: `${burstWindowMs / 1000}s`,
      note: 'The headers x-ratelimit-* of each response have the state of the limit that is nearest.',
    },
  }
}

/** Presents the credits of an account, in OpenRouter's shape. */
export function presentCredits({ creditsNanos, spentNanos }: CreditTotals): CreditsAnswer['data'] {
  return { total_credits: dollars(creditsNanos + spentNanos), total_usage: dollars(spentNanos) }
}

/** Fields of OpenRouter's shape that are not logged here. Its SDK refuses an answer without them. */
const notLogged = {
  app_id: null,
  cache_discount: null,
  finish_reason: null,
  http_referer: null,
  moderation_latency: null,
  native_finish_reason: null,
  native_tokens_completion_images: null,
  num_fetches: null,
  num_input_audio_prompt: null,
  num_media_completion: null,
  num_media_prompt: null,
  num_search_results: null,
  origin: '',
  router: null,
  service_tier: null,
  upstream_inference_cost: null,
  user_agent: null,
  web_search_engine: null,
} as const

/** Presents a request of the log, in OpenRouter's shape. All token counts are the vendor's. */
export function presentGeneration(log: RequestLog): GenerationAnswer['data'] {
  const cost = dollars(log.costNanos)
  return {
    ...notLogged,
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

function presentAttempt({ credentialId, vendor, model, durationMs, status }: AttemptRecord) {
  return {
    model_permaslug: model,
    ...(vendor && { provider_name: vendor }),
    is_byok: credentialId !== null,
    latency: durationMs,
    status,
  }
}
