import type { CatalogueEntry, MediaEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { Context } from '../context.ts'

/** A media model, and its vendor. */
export interface MediaModelRecord {
  entry: MediaEntry
  vendor: Vendor | undefined
}

/**
 * Finds a media model by its name in inference requests, including inactive models, so that tasks that have started
 * can continue. Resolves to undefined if the catalogue never had it.
 */
export async function findMediaModel(
  { sql }: Pick<Context, 'sql'>,
  { model }: { model: string },
): Promise<MediaModelRecord | undefined> {
  const [row] = await sql<{ entry: CatalogueEntry; vendor: Vendor | null }[]>`
    select m.data as entry, v.data as vendor
    from models m left join vendors v on v.label = m.data ->> 'provider'
    where m.model = ${model}`
  if (!row || row.entry.modality === 'chat') return undefined
  return { entry: row.entry, vendor: row.vendor ?? undefined }
}
