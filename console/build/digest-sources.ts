import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file of a built console with the digest of the sources that it was built from. */
export const digestName = 'sources.sha256'

/** Returns the SHA-256 of everything in `checkout` that a build of the console depends on, in hexadecimal. */
export function digestSources(checkout: string): string {
  const sources = globSync('console/**/*.{ts,tsx,css,html,svg}', {
    cwd: checkout,
    exclude: ['**/*.d.ts'],
  }).toSorted()
  const digest = createHash('sha256')
  for (const file of ['package-lock.json', 'platform/pages/tokens.css', ...sources])
    digest.update(`${file}\0`).update(readFileSync(join(checkout, file)))
  return digest.digest('hex')
}
