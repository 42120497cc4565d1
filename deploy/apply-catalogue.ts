import { join } from 'node:path'
import { applyCatalogue } from '../domain/models/apply-catalogue.ts'
import { readCatalogue } from '../domain/models/read-catalogue.ts'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/postgres/open-postgres.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Checks the catalogue of vendors, models and prices, and applies it to the database in one transaction.
Running processes load it within seconds. Where it has faults, each is printed with file and line and nothing is applied.

Models that operators changed through the graph stay as they are, until the files say the same of them.

  npm run catalog:apply [-- [--check] [--take-over] [FOLDER]]

  --check       only checks the files
  --take-over   the files win over what was changed through the graph
  FOLDER        where the catalogue lies; schema/catalog by default

DATABASE_URL names the database.
`

await runMain({
  name: 'catalog:apply',
  help,
  options: { check: { type: 'boolean' }, 'take-over': { type: 'boolean' } },
  maxOperands: 1,
  start: checkAndApply,
})

async function checkAndApply(config: Config, given: Given): Promise<undefined> {
  const catalogue = await readCatalogue(given.operands[0] ?? join(import.meta.dirname, '../schema/catalog'))
  const size = `${catalogue.models.length} models of ${catalogue.vendors.length} vendors`
  if (given.options.check) return void process.stdout.write(`no faults in ${size}\n`)

  await withPostgres({ url: config.databaseUrl, name: 'catalog:apply' }, async sql => {
    const takeOver = given.options['take-over'] === true
    const applied = await applyCatalogue({ sql, clock: systemClock }, catalogue, { takeOver })
    for (const outcome of ['added', 'changed', 'deactivated', 'kept'] as const)
      for (const id of applied[outcome]) process.stdout.write(`${outcome} ${id}\n`)
    process.stdout.write(`${size} are applied: revision ${applied.revision}\n`)
  })
}
