import type { Clock } from '../platform/clock.ts'
import type { PlatformCredential } from '../platform/config/credentials.ts'
import type { Config } from '../platform/config/read-config.ts'
import { matchesPattern } from '../platform/patterns.ts'
import type { RedisClient } from '../platform/redis/open-redis.ts'
import { Secrets } from '../platform/secrets/redact-secrets.ts'
import type { CatalogueEntry } from '../schema/catalog/entry.ts'
import type { VendorModel } from '../schema/catalog/vendor-address.ts'
import { limitWaitMs, openLease, openPooledCredential, type PooledCredential } from './credential-lease.ts'
import { addressOf, breakerName, dialectOf, isInCloud, type Target } from './targets.ts'

/** The credentials of the platform, and their choice for a request. */
export interface PlatformCredentials {
  /** Whether a vendor has several credentials, or one with limits. */
  readonly hasChoice: boolean
  /** Whether a credential reaches a model. */
  reaches(model: VendorModel<CatalogueEntry>): boolean
  /**
   * Returns the targets of a model in the order in which they are tried. Only credentials that are ready are listed.
   * The first is a weighted choice: at random, or always the same for a conversation while it is ready. If none is
   * ready, the credential that is ready soonest is listed.
   */
  targets(model: VendorModel<CatalogueEntry>, request?: CredentialChoice): Target[]
  /** Returns the target of a model with the credential of that name, for a task that its vendor already has. */
  find(model: VendorModel<CatalogueEntry>, name: string): Target | undefined
  close(): void
}

/** The parts of a request that determine the choice among several credentials. */
export interface CredentialChoice {
  accountId?: string | undefined
  /** The same for all requests that share cached prompts; undefined if the request names no conversation. */
  conversation?: string | undefined
}

interface Surroundings {
  clock: Clock
  /** Redis, through which processes share their counts; undefined if each process counts by itself. */
  redis?: RedisClient | undefined
  /** Returns milliseconds until the breaker of a credential admits a call. */
  breakerWaitMs(call: { credential: string; accountId?: string | undefined }): number
}

/** Interval at which processes exchange the counts of credentials with limits, in milliseconds. */
const exchangeMs = 1_000

/** Opens the platform's credentials. A vendor with one credential without limits needs no choice. */
export function openPlatformCredentials(config: Config, surroundings: Surroundings): PlatformCredentials {
  const { clock, redis, breakerWaitMs } = surroundings
  const pools = new Map<string, PooledCredential[]>()
  for (const [label, { credentials }] of config.vendors)
    if (credentials.length > 1 || credentials.some(isLimited))
      pools.set(
        label,
        credentials.map(credential => openPooledCredential(credential, clock)),
      )
  // Entries are replaced together with their vendors, so their targets stay the same.
  const singleTargets = new WeakMap<CatalogueEntry, Target[]>()
  const singleTargetsOf = (model: VendorModel<CatalogueEntry>) => {
    const known = singleTargets.get(model.entry)
    if (known) return known
    const made = singleTarget(config, model)
    singleTargets.set(model.entry, made)
    return made
  }
  const stop = redis ? exchangeUse(config, redis, pools) : () => {}

  const waitOf = (pooled: PooledCredential, { entry }: VendorModel<CatalogueEntry>, accountId?: string) => {
    const { name: credentialName } = pooled.credential
    const credential = breakerName({ vendor: entry.provider, credentialName })
    const pausedUntil = pooled.pausedUntil.get(entry.upstream.model) ?? 0
    return Math.max(
      pausedUntil - clock.monotonic(),
      breakerWaitMs({ credential, accountId }),
      limitWaitMs(pooled),
    )
  }
  const pooledTarget = (
    pooled: PooledCredential,
    model: VendorModel<CatalogueEntry>,
    hasNext: boolean,
  ): Target | undefined => {
    const target = targetOf(config, model, pooled.credential)
    return target && { ...target, hasNext, lease: openLease(pooled, model.entry.upstream.model, clock) }
  }
  return {
    hasChoice: pools.size > 0,
    reaches: model =>
      credentialsOf(config, model).some(
        credential => serves(credential, model.entry) && targetOf(config, model, credential) !== undefined,
      ),
    targets(model, { accountId, conversation } = {}) {
      const pool = pools.get(model.entry.provider)
      if (!pool) return singleTargetsOf(model)
      const able = pool.filter(({ credential }) => serves(credential, model.entry))
      const waits = able.map(pooled => ({ pooled, waitMs: waitOf(pooled, model, accountId) }))
      const ready = waits.filter(({ waitMs }) => waitMs <= 0).map(({ pooled }) => pooled)
      const tried = ready.length > 0 ? orderByWeight(ready, conversation) : soonest(waits)
      return tried.flatMap((pooled, index) => pooledTarget(pooled, model, index < tried.length - 1) ?? [])
    },
    find(model, name) {
      const pooled = pools.get(model.entry.provider)?.find(({ credential }) => credential.name === name)
      if (pooled) return pooledTarget(pooled, model, false)
      const single = credentialsOf(config, model).find(credential => credential.name === name)
      return single && targetOf(config, model, single)
    },
    close: stop,
  }
}

function isLimited({ requestsPerMinute, tokensPerMinute }: PlatformCredential): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined
}

function credentialsOf({ vendors }: Config, { entry }: VendorModel<CatalogueEntry>) {
  return vendors.get(entry.provider)?.credentials ?? []
}

/** Whether a credential may serve a model. Its patterns are compared with the name after the vendor's label. */
export function serves({ models }: PlatformCredential, { model }: CatalogueEntry): boolean {
  const name = model.slice(model.indexOf('/') + 1)
  return models === undefined || models.some(pattern => matchesPattern(pattern, name))
}

function singleTarget(config: Config, model: VendorModel<CatalogueEntry>): Target[] {
  const [credential] = credentialsOf(config, model)
  const target = credential && serves(credential, model.entry) && targetOf(config, model, credential)
  return target ? [target] : []
}

/** Returns the target of a credential, or undefined if the vendor has no address. */
function targetOf(
  config: Config,
  model: VendorModel<CatalogueEntry>,
  { name: credentialName, apiKey, config: cloud }: PlatformCredential,
): Target | undefined {
  const vendor = model.entry.provider
  if (!cloud) {
    const baseUrl = addressOf(config, model)
    return baseUrl === undefined
      ? undefined
      : { vendor, baseUrl, apiKey, ...dialectOf(model), credentialName }
  }
  const { endpoint } = cloud
  const cloudUrl = typeof endpoint === 'string' ? endpoint : model.vendor?.base_url
  const baseUrl = (isInCloud(cloud) ? cloudUrl : undefined) ?? addressOf(config, model)
  if (baseUrl === undefined) return undefined
  const secrets = new Secrets([apiKey, ...textsIn(cloud)].filter(text => text !== ''))
  const dialect = isInCloud(cloud) ? {} : dialectOf(model)
  return { vendor, baseUrl, apiKey, ...dialect, credentialName, config: { ...cloud }, secrets }
}

/** Returns every text of a credential's settings. An operator's file does not mark which ones are secret. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Orders credentials by weighted rendezvous hashing: each credential gets a number, and the lowest -ln(number) / weight
 * is first. For a conversation, the number is a hash of its key and the credential's name, so its order is always the
 * same. If a credential drops out, the other conversations keep their order. Without a conversation, the number is
 * random.
 */
export function orderByWeight<Pooled extends { credential: { name: string; weight: number } }>(
  pool: readonly Pooled[],
  conversation: string | undefined,
): Pooled[] {
  // A name of a conversation can be long, so it is hashed once for all credentials.
  const prefix = conversation === undefined ? undefined : hashOn(hashSeed, conversation)
  const drawn = pool.map(pooled => {
    const { name, weight } = pooled.credential
    const number = prefix === undefined ? 1 - Math.random() : fractionOf(hashOn(prefix, name))
    return { pooled, score: -Math.log(number) / weight }
  })
  return drawn.sort((a, b) => a.score - b.score).map(({ pooled }) => pooled)
}

const hashSeed = 0x811c9dc5

/** Continues an FNV-1a hash with a text. */
function hashOn(start: number, text: string): number {
  let hash = start
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** Returns a hash as a number above 0 and at most 1, mixed as in MurmurHash3. */
function fractionOf(start: number): number {
  let hash = Math.imul(start ^ (start >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 1) / 2 ** 32
}

/** Returns the credential with the shortest wait, if any. Prefers credentials that are below their limits. */
function soonest(waits: readonly { pooled: PooledCredential; waitMs: number }[]): PooledCredential[] {
  const isAtLimit = ({ pooled }: { pooled: PooledCredential }) => (limitWaitMs(pooled) > 0 ? 1 : 0)
  const [first] = [...waits].sort((a, b) => isAtLimit(a) - isAtLimit(b) || a.waitMs - b.waitMs)
  return first ? [first.pooled] : []
}

/** Exchanges the counts of credentials with limits every second. Returns the function that stops it. */
function exchangeUse(
  { redisPrefix }: Config,
  redis: RedisClient,
  pools: ReadonlyMap<string, PooledCredential[]>,
): () => void {
  const limited = [...pools].flatMap(([label, pool]) =>
    pool
      .filter(({ credential }) => isLimited(credential))
      .map(({ credential, use }) => ({
        use,
        name: `${redisPrefix}{credentials}:${label}:${credential.name}`,
      })),
  )
  if (limited.length === 0) return () => {}
  const exchange = () => {
    for (const { use, name } of limited) void use.exchange(redis, name)
  }
  exchange()
  const timer = setInterval(exchange, exchangeMs)
  timer.unref()
  return () => clearInterval(timer)
}
