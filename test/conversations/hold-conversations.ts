import fc from 'fast-check'
import { expect } from 'vitest'
import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../schema/errors.ts'
import { adapterOf } from '../../upstreams/call/adapters.ts'
import type { AdapterServices } from '../../upstreams/chat-adapter.ts'
import { openSseReader } from '../../upstreams/http/sse-reader.ts'
import type { Target } from '../../upstreams/targets.ts'
import type { FailureDetails } from '../../upstreams/upstream-failure.ts'
import { aChatCall, noServices } from '../harness/a-chat-call.ts'
import { anyChatRequest } from './any-chat-request.ts'
import { printed } from './printed.ts'

/** Where conversations go. */
interface Partner {
  target: Target
  models: readonly string[]
  numRuns: number
  services?: Partial<AdapterServices>
  /** Whether a refusal of the vendor's is the client's mistake, and none that we should have refused ourselves. */
  isClients?: (details: FailureDetails) => boolean
}

interface Outcome {
  answered: boolean
  param?: string | undefined
}

/**
 * Any conversation is taken by the vendor and its answer read, or refused with the parameter at fault; both often
 * enough to mean something.
 */
export async function holdConversations(partner: Partner): Promise<void> {
  const { models, numRuns } = partner
  const outcomes: Outcome[] = []
  await fc.assert(
    fc.asyncProperty(anyChatRequest(models), async request => {
      const outcome = await exchange(request, partner)
      outcomes.push(outcome)
      expect(outcome.answered || outcome.param).toBeTruthy()
    }),
    { numRuns },
  )
  const answered = outcomes.filter(outcome => outcome.answered).length
  expect(Math.min(answered, outcomes.length - answered)).toBeGreaterThan(numRuns / 20)
}

/** Throws where the fault is ours: a request that the vendor does not take, or an answer that we cannot read. */
async function exchange(request: object, partner: Partner): Promise<Outcome> {
  const { target, services, isClients } = partner
  try {
    const call = aChatCall(parseChatRequest(JSON.parse(JSON.stringify(request))))
    const adapter = adapterOf(call.entry, target)
    const built = await adapter.buildRequest(call, target, { ...noServices, ...services })
    const { origin, path, headers, body } = built
    const response = await fetch(origin + path, { method: 'POST', headers, body: printed(body) })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200) {
      const { details } = adapter.readFailure(response.status, {}, bytes, call)
      if (!isClients?.(details)) throw new Error(`${bytes}\nto ${body}`)
      return { answered: false, param: details.param ?? '' }
    }
    if (call.request.stream) {
      const translator = adapter.openTranslator(call, target)
      for (const event of openSseReader().push(bytes)) translator.read(event)
      translator.end()
    } else {
      adapter.readAnswer(bytes, call, target)
    }
    return { answered: true }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { answered: false, param: error.details.param }
  }
}
