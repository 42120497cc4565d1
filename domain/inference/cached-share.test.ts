import { expect, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { aChatEntry } from '../../test/harness/a-chat-call.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openCommitter } from '../committer/open-committer.ts'
import { cachedShareOf, rememberCachedShare } from './cached-share.ts'
import { closeInference, openInference } from './open-inference.ts'

const entry = aChatEntry('vendor_a/atlas')

const system = perFile(aSystem)
const inference = perFile(
  async () => openInference(system.context, await openCommitter(system.context, { kind: 'edge' })),
  closeInference,
)

/** Returns the tokens of `next` that count as cached after a vendor read `cachedTokens` of `first` from its cache. */
async function cachedAfter(
  first: string,
  next: string,
  counted: { promptTokens: number; cachedTokens: number },
) {
  const accountId = system.context.ids.uuid()
  const prompt = (content: string) => {
    const request: ChatRequest = { model: 'vendor_a/atlas', messages: [{ role: 'user', content }] }
    return { accountId, entry, request }
  }
  const usage = { ...counted, cacheCreationTokens: 0, completionTokens: 1, reasoningTokens: 0 }
  rememberCachedShare(inference, prompt(first), usage)
  await system.context.redis.ping() // what was sent before it is kept by now
  return cachedShareOf(inference, prompt(next))
}

const prose = Array.from({ length: 2_000 }, (_, at) => `Sentence ${at} says that it is one.`).join(' ')
const noise = Array.from({ length: 20_000 }, (_, at) => String.fromCharCode(33 + ((at * 7919) % 90))).join('')

test('the same beginning is cached as it was last', async () => {
  const promptTokens = await inference.tokenizer.count([prose])
  const cachedTokens = Math.floor(promptTokens * 0.99)
  const cached = await cachedAfter(prose, `${prose} And then?`, { promptTokens, cachedTokens })
  expect(cached).toBeGreaterThan(cachedTokens * 0.95)
  expect(cached).toBeLessThanOrEqual(cachedTokens)
})

test('what was cached of dear text is no share of a prompt that repeats the cheap one before it', async () => {
  const spaces = ' '.repeat(640_000)
  const [cheap, dear] = await Promise.all([spaces, noise].map(text => inference.tokenizer.count([text])))
  const counted = { promptTokens: cheap! + dear!, cachedTokens: dear! }
  const cached = await cachedAfter(spaces + noise, spaces, counted)
  expect(cached).toBeLessThan(cheap! * 0.6)
  expect(counted.cachedTokens).toBeGreaterThan(cheap! * 0.6)
})

test('another beginning has no share', async () => {
  const counted = { promptTokens: 20_000, cachedTokens: 19_000 }
  expect(await cachedAfter(prose, `Listen. ${prose}`, counted)).toBe(0)
})
