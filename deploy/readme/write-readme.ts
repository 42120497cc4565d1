import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorsTable } from './describe-errors.ts'
import { envExample, settingsTable } from './describe-settings.ts'
import { placeBetween } from './place-between.ts'

// npm run env:example: writes .env.example and the README's tables anew.

const checkout = join(import.meta.dirname, '../..')
const readme = join(checkout, 'README.md')

const text = placeBetween(readFileSync(readme, 'utf8'), 'settings', settingsTable())
writeFileSync(readme, placeBetween(text, 'errors', errorsTable()))
writeFileSync(join(checkout, '.env.example'), envExample())
