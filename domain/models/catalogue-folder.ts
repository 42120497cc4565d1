import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../platform/config/read-config.ts'

/** The folders of the catalogues that come with the code, by their names in CATALOG. */
const included = new Map([
  ['demo', 'schema/catalog'],
  ['real', 'schema/real-catalog'],
])

/**
 * Returns the folder of the catalogue that CATALOG chooses; by default the real one in production, and otherwise the demo
 * catalogue. An included catalogue is read from the working folder if that has it, because the copy in compiled code may
 * be older.
 */
export function catalogueFolder({
  catalogue,
  environment,
}: Pick<Config, 'catalogue' | 'environment'>): string {
  const chosen = catalogue || (environment === 'production' ? 'real' : 'demo')
  const path = included.get(chosen)
  if (path === undefined) return resolve(chosen)
  const own = resolve(path)
  return existsSync(own) ? own : join(import.meta.dirname, '../..', path)
}
