import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'

// Part of `npm run build`: what the compiled processes read beside their code.

const checkout = join(import.meta.dirname, '..')
const assets = ['schema/**/*.{sql,yaml,graphql,json}', 'gateway/openapi/page/*', 'platform/pages/tokens.css']
for (const path of globSync(assets, { cwd: checkout })) {
  cpSync(join(checkout, path), join(checkout, 'dist', path))
}
