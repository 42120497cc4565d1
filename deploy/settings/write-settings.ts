import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envExample, settingsTable } from './describe-settings.ts'
import { placeBetween } from './place-between.ts'

// npm run env:example

const checkout = join(import.meta.dirname, '../..')
const readme = join(checkout, 'README.md')

writeFileSync(join(checkout, '.env.example'), envExample())
writeFileSync(readme, placeBetween(readFileSync(readme, 'utf8'), 'settings', settingsTable()))
