import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runMain } from '../../platform/process/run-main.ts'
import { errorsTable } from './describe-errors.ts'
import { envExample, settingsTable } from './describe-settings.ts'
import { placeBetween } from './place-between.ts'

const help = `
Writes .env.example and the README's tables anew, from platform/config/settings.ts and schema/errors.ts.

  npm run env:example
`

await runMain({ name: 'env:example', help, start: writeReadme })

async function writeReadme(): Promise<undefined> {
  const checkout = join(import.meta.dirname, '../..')
  const readme = join(checkout, 'README.md')
  const text = placeBetween(readFileSync(readme, 'utf8'), 'settings', settingsTable())
  writeFileSync(readme, placeBetween(text, 'errors', errorsTable()))
  writeFileSync(join(checkout, '.env.example'), envExample())
}
