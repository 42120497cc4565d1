import { vi } from 'vitest'
import { createCredential } from '../../domain/byok/create-credential.ts'
import type { CredentialRecord } from '../../domain/byok/credential-records.ts'
import type { CredentialSettings } from '../../domain/byok/credential-settings.ts'
import type { ManagementContext } from '../../domain/context.ts'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import type { ByokProvider } from '../../schema/entities/byok.ts'
import { entities } from '../../schema/entities/entities.ts'
import type { TestClient } from './a-client.ts'
import { anEdgeSystem, type EdgeSystem } from './an-edge.ts'

export interface ByokSystem extends EdgeSystem {
  management(): ManagementContext
  /** A credential of the client's account; its label is its key. */
  aCredential(client: TestClient, apiKey: string, more?: MoreSettings): Promise<CredentialRecord>
  /** The row of a credential whose outcome has been written. */
  rowOf(id: string): Promise<OutcomeRow>
  /** The keys that vendors were called with, in their order. */
  usedKeys(): (string | undefined)[]
}

type MoreSettings = CredentialSettings & { provider?: ByokProvider }

interface OutcomeRow {
  last_used_at: Date | null
  last_error: string | null
}

/** An edge, and customers with credentials of their own. */
export async function aByokSystem(
  env: Record<string, string> = {},
  changeCatalogue: (catalogue: Catalogue) => void = () => {},
): Promise<ByokSystem> {
  const system = await anEdgeSystem(env, { changeCatalogue })
  const { context, simulator } = system
  const orm = openOrm({ url: system.config.databaseUrl, name: 'test', entities })
  const management = () => ({ ...context, em: orm.em.fork() })
  return {
    ...system,
    management,
    aCredential({ accountId }, apiKey, { provider = 'vendor_a', label = apiKey, ...more } = {}) {
      const settings = { label, apiKey, ...more }
      return createCredential(management(), { accountId, provider, settings })
    },
    rowOf(id) {
      return vi.waitFor(
        async () => {
          const [row] = await context.sql<OutcomeRow[]>`select * from provider_credentials where id = ${id}`
          if (row?.last_used_at || row?.last_error) return row
          throw new Error('no outcome was written')
        },
        { timeout: 5_000, interval: 50 },
      )
    },
    usedKeys: () =>
      simulator.calls.map(({ headers }) =>
        [headers.authorization?.replace('Bearer ', ''), headers['x-api-key'], headers['x-goog-api-key']]
          .flat()
          .find(key => key !== undefined),
      ),
    async close() {
      await orm.close()
      await system.close()
    },
  }
}
