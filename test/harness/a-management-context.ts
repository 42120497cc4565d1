import type { ManagementContext } from '../../domain/management-context.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { aHouse, type TestHouse } from './a-context.ts'

/** A house whose management verbs can be called. */
export interface ManagedHouse extends TestHouse {
  /** A context with a unit of work of its own, as each request has one. */
  management(): ManagementContext
}

/** Opens one; its Redis answers already. */
export async function aManagedHouse(env: Record<string, string> = {}): Promise<ManagedHouse> {
  const house = await aHouse(env)
  const orm = openOrm({ url: house.config.databaseUrl, name: 'test', entities })
  while (house.context.redis.status !== 'ready') await new Promise(resolve => setTimeout(resolve, 5))
  return {
    ...house,
    management: () => ({ ...house.context, em: orm.em.fork() }),
    async close() {
      await orm.close()
      await house.close()
    },
  }
}
