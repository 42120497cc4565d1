import { triesWindowSeconds } from '../../domain/accounts/limit-tries.ts'
import { openTryCounter } from '../../domain/accounts/try-counter.ts'
import { closeContext, openContext } from '../../domain/context.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { openHistory } from './history.ts'
import { openVendors } from './open-vendors.ts'
import type { SubgraphServices } from './subgraph-context.ts'

/** Opens what subgraphs work with. */
export function openServices(
  config: Config,
  options: { name: string; clock?: Clock; onStatement?: (statement: string) => void },
): SubgraphServices {
  const { name, onStatement } = options
  const { statementTimeoutMs } = config // nobody's question may hold up everybody's
  const context = openContext(config, { ...options, statementTimeoutMs })
  const { redis, clock } = context
  return {
    context,
    orm: openOrm({ url: config.databaseUrl, name, entities, statementTimeoutMs, onStatement }),
    tries: openTryCounter({ redis, clock, prefix: config.redisPrefix, windowSeconds: triesWindowSeconds }),
    history: openHistory(config, options),
    vendors: openVendors(config),
  }
}

/** Closes it again. */
export async function closeServices({ context, orm, history, vendors }: SubgraphServices): Promise<void> {
  await Promise.all([orm.close(), history.close(), vendors.close(), closeContext(context)])
}
