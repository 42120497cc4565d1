import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runMain } from '../../platform/process/run-main.ts'
import { allowancesPage } from './allowances-page.ts'
import { errorsPage } from './errors-page.ts'
import { envExample, settingsPage } from './settings-page.ts'

const help = `
Writes .env.example, docs/settings.md, docs/errors.md and docs/allowances.md from platform/config,
schema/error-catalogue.ts and schema/allowances.ts.

  npm run env:example
`

await runMain({ name: 'env:example', help, start: writePages })

async function writePages(): Promise<undefined> {
  const checkout = join(import.meta.dirname, '../..')
  writeFileSync(join(checkout, '.env.example'), envExample())
  writeFileSync(join(checkout, 'docs/settings.md'), settingsPage())
  writeFileSync(join(checkout, 'docs/errors.md'), errorsPage())
  writeFileSync(join(checkout, 'docs/allowances.md'), allowancesPage())
}
