import { readFile } from 'node:fs/promises'
import type { Context } from '../../domain/context.ts'
import { loadCatalogue, readRevision } from '../../domain/models/model-records.ts'
import { knowsCredentials, unreachedVendors } from '../../domain/models/reachable-models.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { openApiFile } from './build-openapi.ts'
import type { JsonObject } from './json-schema.ts'
import { nameModels } from './name-models.ts'

/**
 * Minimum time between two reads of the catalogue's revision, in milliseconds. Anonymous clients can request the
 * document.
 */
const rereadMs = 1_000

/**
 * Opens the OpenAPI document of this installation: the committed one, with examples that name models of the active
 * catalogue. The returned function resolves to its text. While Postgres is unavailable, that is the latest text.
 */
export async function openDescription(
  context: Pick<Context, 'sql' | 'config' | 'clock' | 'log'>,
): Promise<() => Promise<Buffer>> {
  const { clock, log } = context
  const committed = await readFile(openApiFile)
  const document: JsonObject = JSON.parse(committed.toString())
  let text = committed
  let revision = -1n
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  const read = async () => {
    if ((await readRevision(context)) === revision) return
    const catalogue = await servedModels(context)
    text = Buffer.from(JSON.stringify(nameModels(document, catalogue.models), null, 2))
    revision = catalogue.revision
  }
  return async () => {
    if (!reading && clock.now() - readAt < rereadMs) return text
    reading ??= read()
      .catch(error => log.warn({ err: error }, 'the catalogue could not be read for /openapi.json'))
      .finally(() => {
        readAt = clock.now()
        reading = undefined
      })
    await reading
    return text
  }
}

/**
 * Returns the active models. If this process knows the platform's credentials, models that none of them reaches are
 * left out.
 */
async function servedModels({
  sql,
  config,
}: Pick<Context, 'sql' | 'config'>): Promise<{ revision: bigint; models: CatalogueEntry[] }> {
  const { revision, vendors, models } = await loadCatalogue({ sql })
  const entries = models.map(({ entry }) => entry)
  if (!knowsCredentials(config)) return { revision, models: entries }
  const unreached = unreachedVendors(config.vendors, { models: entries, vendors }).flatMap(
    vendor => vendor.models,
  )
  return { revision, models: entries.filter(({ model }) => !unreached.includes(model)) }
}
