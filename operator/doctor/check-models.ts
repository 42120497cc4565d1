import { loadCatalogue } from '../../domain/models/model-records.ts'
import { unreachedVendors } from '../../domain/models/reachable-models.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { findingsOf, type Result } from './check.ts'

/** Checks that the catalogue is applied, and that the platform can call its models. */
export async function checkModels(sql: Sql, { vendors }: Pick<Config, 'vendors'>): Promise<Result> {
  const catalogue = await loadCatalogue({ sql })
  const models = catalogue.models.map(({ entry }) => entry)
  const unreached = unreachedVendors(vendors, { models, vendors: catalogue.vendors })
  const reached = models.length - unreached.reduce((sum, vendor) => sum + vendor.models.length, 0)
  const findings = findingsOf([
    [models.length === 0, 'the catalogue has no active model', 'Run npm run catalog:apply.'],
    [
      models.length > 0 && reached === 0,
      `the platform can call none of ${models.length} models`,
      `Set ${unreached[0]?.variable}, or the one of another vendor.`,
    ],
  ])
  return { findings, summary: `${models.length} active, of which the platform can call ${reached}` }
}
