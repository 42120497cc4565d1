import { generateKeyPairSync } from 'node:crypto'
import { Agent } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { isVertex, locateVertexModel, readVertexCredential } from './vertex.ts'
import { openAssertionSigner } from './vertex-assertion.ts'
import { openTokenCache, readToken } from './vertex-tokens.ts'

let now = 1_790_000_000_000
let aheadMs = 0
const clock = { now: () => now + aheadMs, monotonic: () => now }

const targetWith = (config: Record<string, unknown>) => ({
  vendor: 'vendor_c',
  baseUrl: '',
  apiKey: '',
  config,
})

const simulator = perFile(() => startSimulator({ clock }))

const json = perFile(async () => {
  const response = await fetch(`${simulator.url}/vertex/service-account.json`)
  return JSON.parse(await response.text())
})
const account = perFile(
  () => readVertexCredential(targetWith({ service_account: json, region: 'us-central1' })).account,
)
afterEach(() => simulator.reset())

const dispatcher = new Agent()
const openCache = (allowLoopback = true) => openTokenCache({ dispatcher, allowLoopback, clock })
const exchanges = () => simulator.calls.filter(call => call.path === '/vertex/token').length

describe('a token of a service account', () => {
  it('is exchanged for its signature once, however many wait for it', async () => {
    const cache = openCache()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => readToken(cache, account)))
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).toMatch(/^ya29\./)
    expect(await readToken(cache, account)).toBe(tokens[0])
    expect(exchanges()).toBe(1)
  })

  it('is had anew five minutes before it expires', async () => {
    const cache = openCache()
    const first = await readToken(cache, account)
    now += 3_298_000
    expect(await readToken(cache, account)).toBe(first)
    now += 2_000
    expect(await readToken(cache, account)).not.toBe(first)
  })

  it('is good for as long however the wall clock is set', async () => {
    const cache = openCache()
    const first = await readToken(cache, account)
    for (aheadMs of [-3_600_000, 3_600_000]) expect(await readToken(cache, account)).toBe(first)
    aheadMs = 0
  })

  it('is not that of another key of the same account', async () => {
    const cache = openCache()
    await readToken(cache, account)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const other = { ...account, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    await expect(readToken(cache, other)).rejects.toMatchObject({
      kind: 'auth',
      message: 'invalid_grant: Invalid JWT Signature.',
    })
  })

  it('is requested again after a failure', async () => {
    const cache = openCache()
    const wrong = { ...account, clientEmail: 'nobody@sim-project.iam.gserviceaccount.com' }
    for (const _ of [1, 2]) await expect(readToken(cache, wrong)).rejects.toMatchObject({ kind: 'auth' })
    expect(exchanges()).toBe(2)
  })

  it('is fetched from the vendor alone, whatever address a customer names', async () => {
    for (const tokenUri of [
      'https://evil.example/token',
      'https://oauth2.googleapis.com.evil.example/token',
      'https://oauth2.googleapis.com/token/../evil',
      'http://169.254.169.254/token',
      'nonsense',
    ]) {
      await expect(readToken(openCache(), { ...account, tokenUri })).rejects.toMatchObject({
        kind: 'auth',
        message: expect.stringContaining('token_uri'),
      })
    }
    await expect(readToken(openCache(false), account)).rejects.toMatchObject({
      message: expect.stringContaining('token_uri'),
    })
    expect(exchanges()).toBe(0)
  })

  it('needs a key that can be read', async () => {
    for (const privateKey of ['', 'nonsense', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'])
      await expect(readToken(openCache(), { ...account, privateKey })).rejects.toMatchObject({
        kind: 'auth',
        message: 'the private_key of the service account cannot be read',
      })
  })
})

describe('the key of a service account', () => {
  it('has at most 4,096 bits: more are not signed with', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4_104 })
    const long = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    for (const tooLong of [long, `${account.privateKey}${'\n'.repeat(8_192)}`])
      await expect(readToken(openCache(), { ...account, privateKey: tooLong })).rejects.toMatchObject({
        kind: 'auth',
        message: 'the private_key of the service account must have at most 4096 bits',
      })
  })

  it('is signed with beside the event loop, two at a time; beyond 20 of an account it is refused as busy, and others take turns', async () => {
    const signer = openAssertionSigner()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 250 }, () => signer.sign(account, { nowMs: now, accountId: 'mallory' })).concat(
        signer.sign(account, { nowMs: now, accountId: 'ann' }),
      ),
    )
    expect(outcomes.at(-1)?.status).toBe('fulfilled')
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(228)
    expect(refused[0]).toMatchObject({ reason: { kind: 'busy' } })
    expect(await signer.sign(account, { nowMs: now, accountId: 'mallory' })).toMatch(
      /^[\w-]+\.[\w-]+\.[\w-]+$/,
    )
  })
})

describe('a credential', () => {
  it('is one of Vertex where it carries a service account', () => {
    expect(isVertex(targetWith({ service_account: json }))).toBe(true)
    expect(isVertex(targetWith({}))).toBe(false)
    expect(isVertex({ vendor: 'vendor_c', baseUrl: '', apiKey: 'k' })).toBe(false)
  })

  it.each([
    ['no region', () => ({ service_account: json })],
    ['a region that is a host', () => ({ service_account: json, region: 'evil.example/' })],
    ['no private key', () => ({ service_account: { ...json, private_key: '' }, region: 'global' })],
    ['no project', () => ({ service_account: { ...json, project_id: undefined }, region: 'global' })],
    ['something else', () => ({ service_account: 'text', region: 'global' })],
  ])('%s is a credential that does not do', (_what, config) => {
    expect(() => readVertexCredential(targetWith(config()))).toThrow(
      expect.objectContaining({ kind: 'auth' }),
    )
  })
})

describe('locateVertexModel', () => {
  const at = (region: string, baseUrl = '') =>
    locateVertexModel(
      { account: { ...account, projectId: 'a project' }, region },
      { baseUrl, model: 'prism/3' },
    )
  const pathIn = (region: string) =>
    `/v1beta1/projects/a%20project/locations/${region}/publishers/google/models/prism%2F3`

  it.each([
    ['europe-west4', 'https://europe-west4-aiplatform.googleapis.com'],
    ['global', 'https://aiplatform.googleapis.com'],
    ['us', 'https://aiplatform.us.rep.googleapis.com'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
    ['constructor', 'https://constructor-aiplatform.googleapis.com'],
  ])('%s is at %s', (region, origin) => expect(at(region)).toEqual({ origin, path: pathIn(region) }))

  it('may be at an address of its own, which the endpoint for API keys is not', () => {
    expect(at('global', 'http://127.0.0.1:1/vertex/')).toEqual({
      origin: 'http://127.0.0.1:1',
      path: `/vertex${pathIn('global')}`,
    })
    expect(at('us', 'https://generativelanguage.googleapis.com').origin).toBe(
      'https://aiplatform.us.rep.googleapis.com',
    )
  })
})
