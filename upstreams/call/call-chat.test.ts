import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isRecord } from '../../platform/checks.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { aChatCall, aChatEntry } from '../../test/harness/a-chat-call.ts'
import { aConfig } from '../../test/harness/a-context.ts'
import { answerChat, answerJson, aVendor as startVendor } from '../../test/harness/a-vendor.ts'
import { Cancellation } from '../http/cancellation.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { openBreakers } from './breaker.ts'
import { type ChatAttempt, callChat, type Plan } from './call-chat.ts'
import { openUpstreams, type Upstreams } from './open-upstreams.ts'
import { openRetryBudget } from './retry-budget.ts'

let pools: ReturnType<typeof openUpstreams>

beforeAll(() => {
  pools = openUpstreams(aConfig({ DATABASE_URL: 'postgres://localhost/none' }))
})
afterAll(() => pools.close())

/** Upstreams with a fresh breaker on a clock that the test moves, and, unless given a budget, no second tries. */
function someUpstreams(more: Partial<Upstreams> = {}) {
  let now = 1_000_000
  const upstreams: Upstreams = {
    ...pools,
    breakers: openBreakers({ now: Date.now, monotonic: () => now }),
    retries: { earn() {}, spend: () => false },
    ...more,
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { upstreams, pass }
}

async function aVendor(answer: Parameters<typeof startVendor>[0]) {
  const vendor = await startVendor(answer)
  onTestFinished(vendor.close)
  return vendor
}

/** A vendor whose credentials behave as their names say: `ok`, `slow`, `hang`, or an error status. */
function aVendorByKey() {
  return aVendor((response, call) => {
    if (call.key.startsWith('ok')) return answerChat(response, call)
    if (call.key.startsWith('hang')) return
    if (call.key.startsWith('slow')) return void setTimeout(() => answerChat(response, call), 100)
    const status = Number(call.key)
    answerJson(response, status, { error: { message: `It is a ${status}.`, code: null } })
  })
}

interface TestAttempt extends ChatAttempt {
  name: string
}

/** An attempt at a model with a credential; one named `own` is the customer's. */
function anAttempt(url: string, key: string, { model = 'vendor_a/atlas', own = false } = {}): TestAttempt {
  const entry = aChatEntry(model)
  const target = { vendor: entry.provider, baseUrl: url, apiKey: key, ...(own && { byokId: `own-${key}` }) }
  return { entry, target, name: `${model} ${key}` }
}

/** Calls, and returns what came of it: the model and credential that answered, or the failure or problem. */
async function outcomeOf(
  upstreams: Upstreams,
  attempts: TestAttempt[],
  {
    request = {},
    ...more
  }: Partial<Pick<Plan<TestAttempt>, 'gate' | 'cancellation' | 'prepare' | 'ownBudgetMs'>> & {
    request?: Partial<ChatRequest>
  } = {},
): Promise<string> {
  let answeredBy = ''
  try {
    await callChat(upstreams, {
      attempts,
      cancellation: new Cancellation(),
      prepare: async ({ entry }) => aChatCall({ ...request, model: entry.model }),
      onAttemptEnd(way, failure) {
        if (!failure) answeredBy = way.name
      },
      ...more,
    })
    return answeredBy
  } catch (error) {
    if (error instanceof UpstreamFailure) return `${error.kind}: ${error.message}`
    if (error instanceof Problem) return `${error.status} ${error.code}`
    throw error
  }
}

test('beyond the time budget no further own credential is tried, and the platform answers', async () => {
  const { url, calls } = await aVendorByKey()
  const attempts = [
    anAttempt(url, '500', { own: true }),
    anAttempt(url, '401', { own: true }),
    anAttempt(url, 'ok'),
  ]
  expect(await outcomeOf(pools, attempts, { ownBudgetMs: -1 })).toBe('vendor_a/atlas ok')
  expect(calls.map(({ key }) => key)).toEqual(['500', 'ok'])
})

test("a request is sent again without what the vendor does not know on the platform's credential; the customer's is tried once", async () => {
  const vendor = await aVendor((response, call) => {
    if (!isRecord(call.body) || !('frobnicate' in call.body)) return answerChat(response, call)
    const message = 'Unknown parameter: frobnicate.'
    answerJson(response, 400, { error: { message, code: 'unknown_parameter' } })
  })
  const request: Partial<ChatRequest> & { frobnicate: boolean } = { frobnicate: true }
  expect(await outcomeOf(pools, [anAttempt(vendor.url, 'ok')], { request })).toBe('vendor_a/atlas ok')
  expect(vendor.calls).toHaveLength(2)
  const own = await outcomeOf(pools, [anAttempt(vendor.url, 'ok', { own: true })], { request })
  expect(own).toBe('request: Unknown parameter: frobnicate.')
  expect(vendor.calls).toHaveLength(3)
})

const circuitOpen = 'circuit_open: it failed again and again and was not called'

describe('a breaker', () => {
  async function anOpenOne() {
    const vendor = await aVendorByKey()
    const { upstreams, pass } = someUpstreams()
    for (let call = 0; call < 10; call++) await outcomeOf(upstreams, [anAttempt(vendor.url, '500')])
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, '500')])).toBe(circuitOpen)
    expect(vendor.calls).toHaveLength(10)
    return { vendor, upstreams, pass }
  }

  test('that is open leaves the vendor alone, and other credentials to their own', async () => {
    const { vendor, upstreams } = await anOpenOne()
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, 'ok', { own: true })])).toBe('vendor_a/atlas ok')
    const elsewhere = anAttempt(vendor.url, 'ok')
    elsewhere.target.vendor = 'vendor_d'
    expect(await outcomeOf(upstreams, [elsewhere])).toBe('vendor_a/atlas ok')
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, 'ok')])).toBe(circuitOpen)
  })

  test.each<[string, Parameters<typeof outcomeOf>[2], string]>([
    [
      'the key was revoked meanwhile',
      { gate: { mayCall: () => Promise.reject(new Problem('no_access')), mayStart: () => true } },
      '401',
    ],
    ['the request is wrong for the model', { request: { n: 99 } }, '400'],
    ['the money is short', { prepare: () => Promise.reject(new Problem('insufficient_credits')) }, '402'],
  ])('is not closed by a request that never reached the vendor: %s', async (_, more, status) => {
    const { vendor, upstreams, pass } = await anOpenOne()
    pass(1_000)
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, '500')], more)).toMatch(status)
    expect(vendor.calls).toHaveLength(10)
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, '500')])).toBe('broken: It is a 500.')
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, '500')])).toBe(circuitOpen)
  })

  test('is not kept closed by clients who do not wait for a vendor that hangs', async () => {
    const vendor = await aVendorByKey()
    const { upstreams } = someUpstreams({ timeouts: { ...pools.timeouts, firstByteMs: 200 } })
    const leave = async () => {
      const cancellation = new Cancellation()
      setTimeout(() => cancellation.cancel(), 50)
      return outcomeOf(upstreams, [anAttempt(vendor.url, 'hang')], {
        cancellation,
        request: { stream: true },
      })
    }
    const impatient = await Promise.all(Array.from({ length: 30 }, leave))
    expect(new Set(impatient)).toEqual(new Set(['aborted: aborted']))
    const patient = await Promise.all(
      Array.from({ length: 10 }, () =>
        outcomeOf(upstreams, [anAttempt(vendor.url, 'hang')], { request: { stream: true } }),
      ),
    )
    expect(new Set(patient)).toEqual(new Set(['timeout: no first byte in time']))
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, 'hang')])).toBe(circuitOpen)
  })

  test('stays closed where whole answers take longer than one may: they have the time of the whole', async () => {
    const vendor = await aVendorByKey()
    const timeouts = { firstByteMs: 50, idleMs: 50, totalMs: 250 }
    const { upstreams } = someUpstreams({ timeouts })
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, 'slow')])).toBe('vendor_a/atlas slow')
    const late = await Promise.all(
      Array.from({ length: 12 }, () => outcomeOf(upstreams, [anAttempt(vendor.url, 'hang')])),
    )
    expect(new Set(late)).toEqual(new Set(['timeout: no first byte in time']))
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, 'ok')])).toBe('vendor_a/atlas ok')
  })

  test('stays closed where a vendor refuses wrong requests: it answers well', async () => {
    const vendor = await aVendorByKey()
    const { upstreams } = someUpstreams()
    for (let call = 0; call < 15; call++) await outcomeOf(upstreams, [anAttempt(vendor.url, '400')])
    expect(await outcomeOf(upstreams, [anAttempt(vendor.url, 'ok')])).toBe('vendor_a/atlas ok')
  })
})

describe('credentials and models in their order', () => {
  const large = { model: 'vendor_a/atlas-large' } // one choice at most
  const mini = { model: 'vendor_a/atlas-mini' }
  const own = { own: true }

  async function tryAll(ways: ((url: string) => TestAttempt)[], more: Parameters<typeof outcomeOf>[2] = {}) {
    const vendor = await aVendorByKey()
    const { upstreams } = someUpstreams()
    const attempts = ways.map(at => at(vendor.url))
    const outcomes = []
    for (const stream of [false, true]) {
      const request = { ...more.request, stream }
      outcomes.push(await outcomeOf(upstreams, attempts, { ...more, request }))
    }
    expect(outcomes[0]).toBe(outcomes[1])
    return { outcome: outcomes[0], keys: vendor.calls.slice(vendor.calls.length / 2).map(({ key }) => key) }
  }
  const way = (key: string, more?: Parameters<typeof anAttempt>[2]) => (url: string) =>
    anAttempt(url, key, more)

  type Ways = Parameters<typeof tryAll>[0]
  const first = [way('503'), way('ok', large), way('ok', mini)]
  const mixed = [way('401', own), way('503'), way('400', { ...mini, ...own }), way('500', mini)]

  test.each<[string, Ways, outcome: string, keys: string[], n?: number]>([
    ...['500', '503', '401', '404', '429', '302'].map((status): [string, Ways, string, string[]] => [
      `a fallback answers where the requested model fails with ${status}`,
      [way(status), way('ok', mini)],
      'vendor_a/atlas-mini ok',
      [status, 'ok'],
    ]),
    ['an invalid request calls no fallback', [way('400'), way('ok', mini)], 'request: It is a 400.', ['400']],
    ['nor does one beyond the model', [way('ok', large), way('ok')], '400 unsupported_parameter', [], 2],
    ['a fallback that cannot take it is passed over', first, 'vendor_a/atlas-mini ok', ['503', 'ok'], 2],
    [
      'if no fallback can take it, the first failure',
      [way('503'), way('ok', large)],
      'busy: It is a 503.',
      ['503'],
      2,
    ],
    [
      'if its vendor refuses it, the same',
      [way('503'), way('400', mini)],
      'busy: It is a 503.',
      ['503', '400'],
      2,
    ],
    [
      'where all fail, the first failure',
      [way('429'), way('500', mini)],
      'busy: It is a 429.',
      ['429', '500'],
    ],
    [
      'an own deployment may lack what ours has',
      [way('400', own), way('ok')],
      'vendor_a/atlas ok',
      ['400', 'ok'],
    ],
    [
      "own, platform, fallback: the first model's last failure",
      mixed,
      'busy: It is a 503.',
      ['401', '503', '400', '500'],
    ],
  ])('%s', async (_, ways, outcome, keys, n) => {
    expect(await tryAll(ways, n ? { request: { n } } : {})).toEqual({ outcome, keys })
  })

  test.each<[ErrorName, number]>([
    ['no_access', 401],
    ['insufficient_credits', 402],
  ])('%s on the way to a fallback is thrown as it is', async (name, status) => {
    let asked = 0
    const prepare: Plan<TestAttempt>['prepare'] = async ({ entry }) => {
      if (asked++ % 2 === 1) throw new Problem(name)
      return aChatCall({ model: entry.model })
    }
    const vendor = await aVendorByKey()
    const attempts = [anAttempt(vendor.url, '500'), anAttempt(vendor.url, 'ok', mini)]
    expect(await outcomeOf(someUpstreams().upstreams, attempts, { prepare })).toBe(`${status} ${name}`)
  })

  test('without any credential it is ours to mend', async () => {
    expect(await outcomeOf(someUpstreams().upstreams, [])).toBe(
      'auth: there is no credential for this vendor',
    )
  })
})

test("second tries are the platform's, where the budget has one; a customer's credential is tried once", async () => {
  const vendor = await aVendorByKey()
  const { upstreams } = someUpstreams({ retries: openRetryBudget() })
  await outcomeOf(upstreams, [anAttempt(vendor.url, '500', { own: true }), anAttempt(vendor.url, '502')])
  expect(vendor.calls.map(({ key }) => key)).toEqual(['500', '502', '502'])
})

describe("a model's own time limits hold, not the configured ones", () => {
  const patient = { firstByteMs: 20_000, idleMs: 20_000, totalMs: 20_000 }
  const hasty = { firstByteMs: 150, idleMs: 150, totalMs: 150 }

  /** Starts a vendor that begins a stream after a delay, then sends a chunk at an interval, or never again. */
  async function aVendorThat({ beginsAfterMs = 0, sendsEveryMs = 0 }) {
    return aVendor(async (response, call) => {
      await sleep(beginsAfterMs)
      if (sendsEveryMs === 0) return answerChat(response, call)
      const delta = { role: 'assistant', content: 'on and ' }
      const frame = { id: 'c', choices: [{ index: 0, delta, finish_reason: null }] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (; !response.destroyed; await sleep(sendsEveryMs))
        response.write(`data: ${JSON.stringify(frame)}\n\n`)
    })
  }

  async function failureOf(
    url: string,
    timeouts: NonNullable<ChatAttempt['entry']['timeouts']>,
    system = patient,
  ) {
    const { upstreams } = someUpstreams({ timeouts: system })
    const { entry, target } = anAttempt(url, 'ok')
    const limited = { ...entry, timeouts }
    const startedAt = performance.now()
    try {
      const { stream } = await callChat(upstreams, {
        attempts: [{ entry: limited, target }],
        cancellation: new Cancellation(),
        prepare: async () => ({ ...aChatCall({ model: entry.model, stream: true }), entry: limited }),
        onAttemptEnd: () => {},
      })
      while (await stream?.read()) if (performance.now() - startedAt > 30_000) return 'went on'
      return 'ended'
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      return error.message
    }
  }

  test.each([
    ['the first byte', { beginsAfterMs: 60_000 }, { first_byte_ms: 100 }, 'no first byte in time'],
    ['silence in the middle', { sendsEveryMs: 60_000 }, { idle_ms: 100 }, 'no further byte in time'],
    ['the whole, however busily it goes on', { sendsEveryMs: 20 }, { total_ms: 300 }, 'no end in time'],
  ])('for %s', async (_, vendor, timeouts, message) => {
    expect(await failureOf((await aVendorThat(vendor)).url, timeouts)).toBe(message)
  })

  test('also where they are longer', async () => {
    const { url } = await aVendorThat({ beginsAfterMs: 300 })
    expect(await failureOf(url, {}, hasty)).toBe('no first byte in time')
    const longer = { first_byte_ms: 5_000, idle_ms: 5_000, total_ms: 5_000 }
    expect(await failureOf(url, longer, hasty)).toBe('ended')
  })
})

test('a call whose connections are never ready in time is given up, and the vendor has heard nothing', async () => {
  const vendor = await aVendorByKey()
  const { upstreams } = someUpstreams()
  let asked = 0
  const gate = {
    async mayCall() {
      asked += 1
      return true
    },
    mayStart: () => false,
  }
  expect(await outcomeOf(upstreams, [anAttempt(vendor.url, 'ok')], { gate })).toContain('503')
  expect([asked, vendor.calls.length]).toEqual([8, 0])
})
