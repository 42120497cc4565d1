import { expect, test } from 'vitest'
import { aChatEntry } from '../test/harness/a-chat-call.ts'
import { aConfig, aSettingsFile } from '../test/harness/a-context.ts'
import { openPlatformCredentials, orderByWeight } from './platform-credentials.ts'
import type { Target } from './targets.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const atlas = { entry: aChatEntry('vendor_a/atlas'), vendor: undefined }
const mini = { entry: aChatEntry('vendor_a/atlas-mini'), vendor: undefined }

/** Credentials of vendor_a, with a clock and breakers that a test sets. */
function credentialsOf(declared: object[]) {
  const time = { ms: 1_000_000 }
  const open = new Set<string>()
  const config = aConfig({
    VENDOR_CREDENTIALS_FILE: aSettingsFile({
      vendor_a: declared.map((each, index) => ({ name: `c${index}`, api_key: `sk-${index}`, ...each })),
    }),
    VENDOR_A_BASE_URL: 'https://a.example',
  })
  const credentials = openPlatformCredentials(config, {
    clock: { now: () => time.ms, monotonic: () => time.ms },
    breakerWaitMs: ({ credential }) => (open.has(credential) ? 1_000 : 0),
  })
  const namesFor = (conversation?: string, model = atlas) =>
    credentials.targets(model, { conversation }).map(({ credentialName }) => credentialName)
  const call = (name: string, failure?: UpstreamFailure, model = atlas) => {
    const { lease } = credentials.find(model, name) ?? {}
    const waitMs = lease?.begin()
    if (failure) lease?.end(failure)
    return waitMs
  }
  return { credentials, namesFor, call, time, open }
}

const all = ['c0', 'c1', 'c2']

test('credentials are chosen in proportion to their weights', () => {
  const { namesFor } = credentialsOf([{ weight: 6 }, { weight: 3 }, { weight: 1 }])
  const firsts = Array.from({ length: 4_000 }, () => namesFor()[0])
  const shareOf = (name: string) => firsts.filter(first => first === name).length / firsts.length
  expect(all.map(shareOf)).toEqual([0.6, 0.3, 0.1].map(share => expect.closeTo(share, 1)))
  expect(namesFor().toSorted()).toEqual(all)
})

test('a conversation keeps its credential; if one drops out, only its own conversations move', () => {
  const { namesFor, call } = credentialsOf([{}, {}, {}])
  const conversations = Array.from({ length: 300 }, (_, index) => `account ${index}`)
  const before = conversations.map(name => namesFor(name))
  expect(conversations.map(name => namesFor(name))).toEqual(before)
  for (const name of all) expect(before.filter(([first]) => first === name).length).toBeGreaterThan(60)
  call('c1', new UpstreamFailure('busy', { status: 429, retryAfterSeconds: 30 }))
  const after = conversations.map(name => namesFor(name))
  expect(after).toEqual(before.map(names => names.filter(name => name !== 'c1')))
})

test('weights also hold for conversations', () => {
  const pool = [3, 1].map((weight, index) => ({ credential: { name: `c${index}`, weight } }))
  const firsts = Array.from(
    { length: 4_000 },
    (_, index) => orderByWeight(pool, `a ${index}`)[0]?.credential.name,
  )
  expect(firsts.filter(name => name === 'c0').length / firsts.length).toBeCloseTo(0.75, 1)
})

test('a busy credential pauses for the time that the vendor names, for the model alone', () => {
  const { namesFor, call, time } = credentialsOf([{}, {}])
  call('c0', new UpstreamFailure('busy', { status: 429, retryAfterSeconds: 30 }))
  expect(namesFor()).toEqual(['c1'])
  expect(namesFor(undefined, mini)).toHaveLength(2)
  time.ms += 30_000
  expect(namesFor()).toHaveLength(2)
})

test('a refused credential pauses for a minute, one with an open breaker until it closes', () => {
  const { namesFor, call, time, open } = credentialsOf([{}, {}, {}])
  call('c0', new UpstreamFailure('auth', { status: 401 }))
  open.add('vendor_a platform c1')
  expect(namesFor()).toEqual(['c2'])
  time.ms += 60_000
  expect(namesFor().toSorted()).toEqual(['c0', 'c2'])
})

test('if every credential pauses, the one that is ready first is still called: one oversized request closes no vendor', () => {
  const { namesFor, call } = credentialsOf([{}, {}])
  call('c0', new UpstreamFailure('busy', { status: 429, retryAfterSeconds: 30 }))
  call('c1', new UpstreamFailure('busy', { status: 429, retryAfterSeconds: 20 }))
  expect(namesFor()).toEqual(['c1'])
  expect(call('c1')).toBe(0)
})

test("a credential at its own limits is not called, until the clock's next minute has begun", () => {
  const { namesFor, call, credentials, time } = credentialsOf([
    { requests_per_minute: 2 },
    { tokens_per_minute: 100 },
  ])
  time.ms = 60_000 * 100
  expect([call('c0'), call('c0')]).toEqual([0, 0])
  expect(namesFor()).toEqual(['c1'])
  expect(call('c0')).toBe(60_000)
  credentials.find(atlas, 'c1')?.lease?.countTokens(100)
  expect(namesFor()).toHaveLength(1)
  expect(call('c1')).toBe(60_000)
  time.ms += 60_000 + 40_000 // two thirds of the earlier minute are forgotten
  expect(namesFor()).toHaveLength(2)
})

test('a credential serves the models of its patterns alone', () => {
  const { namesFor, credentials } = credentialsOf([{ models: ['atlas'] }, { models: ['atlas-*'] }])
  expect([namesFor(), namesFor(undefined, mini)]).toEqual([['c0'], ['c1']])
  expect(credentialsOf([{ models: ['other'] }]).credentials.reaches(atlas)).toBe(false)
  expect(credentials.reaches(mini)).toBe(true)
})

test('a credential of a cloud brings its address, and every text of its settings is blanked in errors', () => {
  const config = { endpoint: 'https://us.openai.azure.example', deployment: 'atlas-secret' }
  const [target] = credentialsOf([{ config }]).credentials.targets(atlas) as [Target]
  expect(target).toMatchObject({ baseUrl: config.endpoint, config, apiKey: 'sk-0' })
  const failure = new UpstreamFailure('broken', { message: 'no deployment atlas-secret' }).redactFor(target)
  expect(failure.message).not.toContain('atlas-secret')
})

test('the only credential of a vendor costs no choice', () => {
  const config = aConfig({ VENDOR_A_API_KEY: 'sk', VENDOR_A_BASE_URL: 'https://a.example' })
  const clock = { now: () => 0, monotonic: () => 0 }
  const credentials = openPlatformCredentials(config, { clock, breakerWaitMs: () => Number.NaN })
  expect(credentials.hasChoice).toBe(false)
  const target = { vendor: 'vendor_a', baseUrl: 'https://a.example', apiKey: 'sk', credentialName: 'default' }
  expect(credentials.targets(atlas)).toEqual([target])
})
