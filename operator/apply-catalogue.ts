import { applyCatalogue } from '../domain/models/apply-catalogue.ts'
import { catalogueFolder } from '../domain/models/catalogue-folder.ts'
import { unreachedVendors } from '../domain/models/reachable-models.ts'
import { type Catalogue, readCatalogue } from '../domain/models/read-catalogue.ts'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Checks the catalogue of vendors, models and prices, and applies it to the database in one transaction. Running processes
load it within seconds. If it has faults, each is printed with file and line, and nothing is applied.

Models that operators changed through the graph keep these changes until the files declare the same values.

  npm run catalog:apply [-- [--check] [--take-over] [FOLDER]]

  --check       only checks the files
  --take-over   overrides changes that were made through the graph
  FOLDER        the catalogue's folder. By default, the catalogue that CATALOG names: demo (schema/catalog), real
                (schema/real-catalog, the default in production), or a folder. Demo and real are read from the working
                directory if they are there, or else from the installed code

Warns about vendors without VENDOR_X_API_KEY: only accounts with their own credential see and call their models.

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
  const folder = given.operands[0] ?? catalogueFolder(config)
  const catalogue = await readCatalogue(folder)
  const size = `${catalogue.models.length} models of ${catalogue.vendors.length} vendors in ${folder}`
  if (given.options.check) process.stdout.write(`no faults in ${size}\n`)
  else await apply(config, catalogue, { size, takeOver: given.options['take-over'] === true })
  for (const { label, variable, models } of unreachedVendors(config.vendors, catalogue))
    process.stderr.write(
      `warning: ${variable} is not set: the platform cannot call ${models.length} models of ${label}, such as ${models[0]}\n`,
    )
}

/** Applies the catalogue, and prints what changed. */
async function apply(
  config: Config,
  catalogue: Catalogue,
  { size, takeOver }: { size: string; takeOver: boolean },
): Promise<void> {
  await withPostgres({ ...directAddress(config), name: 'catalog:apply' }, async sql => {
    const applied = await applyCatalogue({ sql, clock: systemClock }, catalogue, { takeOver })
    for (const outcome of ['added', 'changed', 'deactivated', 'kept'] as const)
      for (const id of applied[outcome]) process.stdout.write(`${outcome} ${id}\n`)
    process.stdout.write(`${size} are applied: revision ${applied.revision}\n`)
  })
}
