import { anyTier, standardTiers } from '../../../schema/catalog/prices.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { unsupported } from '../shared/refusals.ts'

/**
 * Returns the service tier to send with the platform's credential, for a model whose tiers have prices. The standard
 * tier is named, because vendors otherwise choose by the settings of the account. Returns undefined if the request is
 * not subject to these prices. Throws `unsupported_parameter` for a tier without a price.
 */
export function chooseServiceTier(
  { entry, request }: Pick<ChatCall, 'entry' | 'request'>,
  { byokId }: Pick<Target, 'byokId'>,
): string | undefined {
  const { service_tiers: tiers } = entry.prices
  if (!tiers || byokId !== undefined) return undefined
  const { service_tier: wanted } = request
  if (wanted === anyTier || tiers.some(({ tier }) => tier === wanted)) return wanted ?? undefined
  if (wanted === undefined || wanted === null || standardTiers.has(wanted)) return tiers[0]?.tier
  throw unsupported(
    'service_tier',
    `service_tier must be one of ${[anyTier, ...tiers.map(({ tier }) => tier)].join(', ')}.`,
  )
}

/** Returns the request without its service tier. */
export function withoutTier(request: ChatRequest): ChatRequest {
  return request.service_tier === undefined ? request : { ...request, service_tier: undefined }
}
