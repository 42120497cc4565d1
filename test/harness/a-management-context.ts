import type { ManagementContext } from '../../domain/context.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { aSystem, type TestSystem } from './a-context.ts'

/** A system whose management verbs can be called. */
export interface ManagedSystem extends TestSystem {
  /** A context with a new unit of work, as each request has. */
  management(): ManagementContext
}

/** Opens one; its Redis answers already. */
export async function aManagedSystem(env: Record<string, string> = {}): Promise<ManagedSystem> {
  const system = await aSystem(env)
  const orm = openOrm({ url: system.config.databaseUrl, name: 'test', entities })
  while (system.context.redis.status !== 'ready') await new Promise(resolve => setTimeout(resolve, 5))
  return {
    ...system,
    management: () => ({ ...system.context, em: orm.em.fork() }),
    async close() {
      await orm.close()
      await system.close()
    },
  }
}
