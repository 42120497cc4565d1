import type { CallVendor } from '../../domain/byok/test-credential.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import { openBreakers } from '../../upstreams/call/breaker.ts'
import { callChat } from '../../upstreams/call/call-chat.ts'
import { openUpstreams } from '../../upstreams/call/open-upstreams.ts'
import { Cancellation } from '../../upstreams/http/cancellation.ts'
import { ownTarget } from '../../upstreams/targets.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'

/** The graph's way to vendors: one mutation tries a customer's credential there. */
export interface Vendors {
  call: CallVendor
  close(): Promise<void>
}

/** Whoever waits for the answer to a mutation does not wait for longer. */
const timeoutMs = 30_000

/** Opens it. A test is made however often the ones before it failed, so each has a breaker of its own. */
export function openVendors(config: Config): Vendors {
  const upstreams = openUpstreams(config)
  return {
    async call(route, candidate) {
      const target = ownTarget(config, route, candidate)
      if (!target) return { message: 'There is no address to call.' }
      const cancellation = new Cancellation()
      const timer = setTimeout(() => cancellation.cancel(), timeoutMs)
      const { entry } = route
      const request = {
        model: entry.model,
        messages: [{ role: 'user' as const, content: 'Hi' }],
        max_tokens: 1,
      }
      try {
        await callChat(
          { ...upstreams, breakers: openBreakers(systemClock) },
          {
            attempts: [{ entry, target }],
            cancellation,
            prepare: async () => ({ entry, request, outputTokens: 1, cacheToken: `rb-test-${candidate.id}` }),
            onAttemptEnd: () => {},
          },
        )
        return undefined
      } catch (error) {
        return failureOf(error)
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => upstreams.close(),
  }
}

function failureOf(error: unknown): { status?: number | undefined; message: string } {
  if (error instanceof Problem) return { message: error.message }
  if (!(error instanceof UpstreamFailure)) throw error
  if (error.kind === 'aborted') return { message: 'The vendor did not answer in time.' }
  const { status, message } = error.details
  return { status, message: message ?? error.kind }
}
