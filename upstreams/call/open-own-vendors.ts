import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { VendorModel } from '../../schema/catalog/vendor-address.ts'
import { Problem } from '../../schema/errors.ts'
import { Cancellation } from '../http/cancellation.ts'
import { type OwnCredential, ownTarget } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { openBreakers } from './breaker.ts'
import { type ChatAttempt, callChat } from './call-chat.ts'
import { openUpstreams, type Upstreams } from './open-upstreams.ts'

/** Maximum duration of a test, in milliseconds: a person waits for the result. */
const timeoutMs = 30_000

/** Why a call failed, and the vendor's HTTP status if it responded. */
interface CallFailure {
  status?: number | undefined
  message: string
}

/**
 * Opens the service that tests customers' credentials: `call` sends the smallest chat request to the vendor and resolves
 * to undefined, or to the reason why it failed.
 */
export function openOwnVendors(config: Config) {
  const upstreams = openUpstreams(config)
  return {
    async call(model: VendorModel, credential: OwnCredential): Promise<CallFailure | undefined> {
      const target = ownTarget(config, model, credential)
      if (!target) return { message: 'There is no address to call.' }
      return sendSmallestRequest(upstreams, { entry: model.entry, target }, `rb-test-${credential.id}`)
    },
    close: () => upstreams.close(),
  }
}

/**
 * Sends the smallest chat request, for one token of output. Resolves to undefined, or to the reason why it failed. It is
 * sent even if earlier calls failed, because it uses new circuit breakers.
 */
export async function sendSmallestRequest(
  upstreams: Upstreams,
  { entry, target }: ChatAttempt,
  cacheToken: string,
): Promise<CallFailure | undefined> {
  const cancellation = new Cancellation()
  const timer = setTimeout(() => cancellation.cancel(), timeoutMs)
  const request = { model: entry.model, messages: [{ role: 'user' as const, content: 'Hi' }], max_tokens: 1 }
  try {
    await callChat(
      { ...upstreams, breakers: openBreakers(systemClock) },
      {
        attempts: [{ entry, target }],
        cancellation,
        prepare: async () => ({ entry, request, outputTokens: 1, cacheToken }),
        onAttemptEnd: () => {},
      },
    )
    return undefined
  } catch (error) {
    return failureOf(error)
  } finally {
    clearTimeout(timer)
  }
}

function failureOf(error: unknown): CallFailure {
  if (error instanceof Problem) return { message: error.message }
  if (!(error instanceof UpstreamFailure)) throw error
  if (error.kind === 'aborted') return { message: 'The vendor did not answer in time.' }
  const { status, message } = error.details
  return { status, message: message ?? error.kind }
}
