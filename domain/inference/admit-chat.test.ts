import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { openCommitter } from '../committer/open-committer.ts'
import { parseKeyText } from '../keys/key-text.ts'
import { applyCatalogue } from '../models/apply-catalogue.ts'
import { type Admission, admitChat, holdChat, outputTokensOf, readDemand } from './admit-chat.ts'
import { checkKeyAndRate } from './check-key-and-rate.ts'
import { boundTokens } from './count-prompt.ts'
import { closeInference, openInference } from './open-inference.ts'
import { type RoutingPreferences, readPreferences } from './routes/read-preferences.ts'

const system = perFile(aSystem)
beforeAll(async () => {
  const catalogue = await theCatalogue()
  await applyCatalogue(system.context, catalogue)
})
const inference = perFile(
  async () => openInference(system.context, await openCommitter(system.context, { kind: 'edge' })),
  closeInference,
)
afterEach(() => expectLedgerToBalance(system.context.sql))

/** A thousand bytes of what tokenizers make most of, and a body that says them at length. */
const theRequest: ChatRequest = {
  model: 'vendor_a/atlas',
  messages: [{ role: 'user', content: '8'.repeat(1_000) }],
  max_tokens: 100,
}
const bodyBytes = 3_000

/** Prices of vendor_a/atlas, in nano-dollars. */
const inputNanos = 1_250n
const outputNanos = 10_000n

describe('the price of a request before it ran', () => {
  test('is held with a token for each byte of the body', async () => {
    const admission = await held({ creditNanos: 1_000_000_000n })
    expect(admission.reservation?.amountNanos).toBe(3_008n * inputNanos + 100n * outputNanos)
    expect(tokensOf(admission)).toBe(100)
  })

  test('where money is short, with one for each byte of the prompt, and no more than that', async () => {
    const admission = await held({ creditNanos: 3_000_000n })
    expect(admission.reservation?.amountNanos).toBe(1_008n * inputNanos + 100n * outputNanos)
    expect(tokensOf(admission)).toBe(100)
    const { accountId } = admission.allowed.key
    await expect.poll(async () => (await balanceOf(system.context.sql, accountId)).in_use).toBe(2_260_000n)
  })

  test('where it is shorter still, with what there is: the prompt is covered, the answer is smaller', async () => {
    const creditNanos = 1_008n * inputNanos + 40n * outputNanos
    const admission = await held({ creditNanos })
    expect(admission.reservation?.amountNanos).toBe(creditNanos)
    expect(tokensOf(admission)).toBe(40)
  })

  test.each([
    ['balance', 'insufficient_credits', (nanos: bigint) => ({ creditNanos: nanos })],
    ['cap', 'credit_limit_reached', (nanos: bigint) => ({ limitNanos: nanos })],
  ])('a %s that covers no small answer beside the whole prompt is refused', async (_, errorName, limit) => {
    const enough = 1_008n * inputNanos + 16n * outputNanos
    await held(limit(enough))
    await expect(held(limit(enough - 1n))).rejects.toMatchObject({ errorName })
  })

  test('a long text is counted by a tokenizer before it is refused, or its answer cut', async () => {
    const prose = 'It was the best of times, it was the worst of times. '.repeat(400)
    const request = { ...theRequest, messages: [{ role: 'user' as const, content: prose }] }
    const textTokens = (BigInt(prose.length) * 2n) / 5n
    const ask = (creditNanos: bigint) => held({ creditNanos }, prose.length + 100, request)
    // Two tokens for five bytes are less than one a byte, and more than there are: whole, and with the answer that there is money for.
    const admission = await ask(textTokens * inputNanos + 100n * outputNanos)
    expect(tokensOf(admission)).toBe(100)
    const max = BigInt(prose.length) * inputNanos
    expect(tokensOf(await ask(max + 50n * outputNanos))).toBe(100)
    await expect(ask((textTokens / 3n) * inputNanos)).rejects.toMatchObject({
      errorName: 'insufficient_credits',
    })
  })

  test('an image counts in the size of the body, though not as text of the prompt', async () => {
    const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`
    const content = [{ type: 'image_url' as const, image_url: { url } }]
    const request = { ...theRequest, messages: [{ role: 'user' as const, content }] }
    const { bodyBytes: bytes, prompt } = await held({ creditNanos: 10_000_000_000n }, 1_000_200, request)
    expect(bytes).toBe(1_000_200)
    expect(prompt).toMatchObject({ bytes: 1_000_200 - url.length, images: 1 })
  })

  test('counts no prompt longer than the model takes', async () => {
    const admission = await held({ creditNanos: 10_000_000_000n }, 20_000_000)
    expect(admission.reservation?.amountNanos).toBe(256_000n * inputNanos + 100n * outputNanos)
  })
})

test('no model of a request that names several is charged more than is held, however little that is', async () => {
  const names = inference.models.all().flatMap(({ entry }) => (entry.task === 'chat' ? [entry.model] : []))
  const request = fc.record({
    models: fc.subarray(names, { minLength: 1, maxLength: 10 }),
    creditNanos: fc.bigInt(1_000_000n, 400_000_000n),
    max_tokens: fc.integer({ min: 1, max: 30_000 }),
    promptBytes: fc.integer({ min: 1, max: 60_000 }),
    service_tier: fc.constantFrom('auto', 'default', 'flex', 'priority'),
    fills: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
  })
  let served = 0
  await fc.assert(
    fc.asyncProperty(request, async ({ models, creditNanos, promptBytes, fills, ...fields }) => {
      const messages = [{ role: 'user' as const, content: '8'.repeat(promptBytes) }]
      const body = { ...fields, model: models[0]!, messages }
      const { preferences } = readPreferences({ ...body, models }, undefined)
      const admission = await held({ creditNanos }, promptBytes + 100, body, preferences).catch(
        () => undefined,
      )
      if (!admission) return
      const [prompt, cached, written, completion] = fills as [number, number, number, number]
      for (const model of admission.models) {
        const bound = Math.min(boundTokens(admission.prompt), model.entry.chat.context_tokens)
        const promptTokens = Math.ceil(bound * prompt)
        const usage = {
          promptTokens,
          cachedTokens: Math.floor(promptTokens * cached),
          cacheCreationTokens: Math.floor(promptTokens * (1 - cached) * written),
          completionTokens: Math.ceil(outputTokensOf(admission, model) * completion),
        }
        const requestedTier = fields.service_tier
        for (const reportedTier of ['default', 'flex', 'priority'])
          expect(model.price.price({ ...usage, requestedTier, reportedTier })).toBeLessThanOrEqual(
            admission.reservation!.amountNanos,
          )
        served += 1
      }
    }),
    { numRuns: 60 },
  )
  expect(served).toBeGreaterThan(20)
})

async function held(
  options: { creditNanos?: bigint; limitNanos?: bigint },
  bytes = bodyBytes,
  request = theRequest,
  preferences?: RoutingPreferences,
): Promise<Admission> {
  const { accountId } = await anAccount(system.context, options)
  const { text } = await anApiKey(system.context, { ...options, accountId })
  const key = await inference.keys.read(parseKeyText(text)!.publicId)
  const demand = readDemand(inference, key!, { request, bodyBytes: bytes, preferences })
  const check = {
    clientAddress: '127.0.0.1',
    hmacs: [Buffer.from(key!.hmac)],
    patience: { leftMs: 2_000 },
    tokens: demand.rateTokens,
  }
  const allowed = await checkKeyAndRate(inference, key!, check)
  const admission = admitChat(inference, demand, { allowed, labels: { metadata: null, endUser: null } })
  await holdChat(inference, admission)
  return admission
}

function tokensOf(admission: Admission): number {
  return outputTokensOf(admission, admission.models[0]!)
}
