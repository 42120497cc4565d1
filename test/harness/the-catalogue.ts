import { type Catalogue, readCatalogue } from '../../domain/models/read-catalogue.ts'

const shipped = readCatalogue(new URL('../../schema/catalog', import.meta.url).pathname)

/** Returns a copy of the shipped catalogue, which is read once per test process. */
export async function theCatalogue(): Promise<Catalogue> {
  return structuredClone(await shipped)
}
