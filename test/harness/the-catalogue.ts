import { type Catalogue, readCatalogue } from '../../domain/models/read-catalogue.ts'

const shipped = readCatalogue(new URL('../../schema/catalog', import.meta.url).pathname)

/** The catalogue that ships, read once for all of a worker's files: a copy of one's own. */
export async function theCatalogue(): Promise<Catalogue> {
  return structuredClone(await shipped)
}
