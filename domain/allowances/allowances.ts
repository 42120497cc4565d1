import { LRUCache } from 'lru-cache'
import type { Config } from '../../platform/config/read-config.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import type { SharedWindows } from '../../platform/windows/shared-windows.ts'
import { type Allowance, allowanceTable, isResource, type Resource } from '../../schema/allowances.ts'

/** The facts about an account that determine its allowances. */
export interface Standing {
  accountId: string
  /** Whether the account has paid: its top-ups and grants exceed its refunds and disputes. */
  isPaying: boolean
  /** The limits that an operator set for this account, by resource. */
  ownAllowances: ReadonlyMap<string, number>
}

/** The allowances as this process applies them. */
export interface Allowances {
  readonly sql: Sql
  readonly redis: RedisClient
  readonly prefix: string
  /** The table with the operator's changes (`ALLOWANCES`). */
  readonly table: Readonly<Record<Resource, Allowance>>
  /** Standings that were read within the last second. */
  readonly standings: LRUCache<string, Promise<Standing>>
  /** The amounts that accounts used in windows, by the length of the window in seconds. */
  readonly windows: Map<number, SharedWindows>
}

/** How long a standing is reused, in milliseconds. */
const standingTtlMs = 1_000
const maxStandings = 10_000

/** Opens the allowances of a process. Throws if `ALLOWANCES` names an unknown resource. */
export function openAllowances(options: { config: Config; sql: Sql; redis: RedisClient }): Allowances {
  const { config, sql, redis } = options
  return {
    sql,
    redis,
    prefix: config.redisPrefix,
    table: tableOf(config),
    standings: new LRUCache({ max: maxStandings, ttl: standingTtlMs }),
    windows: new Map(),
  }
}

/** Returns the account's limit of a resource: its own limit, or the limit of its tier. */
export function allowanceOf(
  { table }: Pick<Allowances, 'table'>,
  { isPaying, ownAllowances }: Standing,
  resource: Resource,
): number {
  return ownAllowances.get(resource) ?? (isPaying ? table[resource].paying : table[resource].neverPaid)
}

/** Returns the account's limit of a resource. The limit of a tier is raised to `least`, the account's own limit is not. */
export function allowanceAtLeast(
  allowances: Pick<Allowances, 'table'>,
  standing: Standing,
  { resource, least }: { resource: Resource; least: number },
): number {
  const limit = allowanceOf(allowances, standing, resource)
  return standing.ownAllowances.has(resource) ? limit : Math.max(limit, least)
}

function tableOf({ allowances, rateRequests, rateWindowSeconds }: Config): Record<Resource, Allowance> {
  const table: Record<Resource, Allowance> = {
    ...allowanceTable,
    key_requests: {
      ...allowanceTable.key_requests,
      neverPaid: rateRequests,
      paying: rateRequests,
      per: rateWindowSeconds,
    },
  }
  for (const [name, { neverPaid, paying }] of allowances) {
    if (!isResource(name) || name === 'key_requests')
      throw new Error(`ALLOWANCES names ${name}: see docs/allowances.md for the resources`)
    table[name] = { ...table[name], neverPaid, paying }
  }
  return table
}
