import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { printPath, type ValuePath } from '../../schema/value-path.ts'
import { checkReferences, type ReadEntry } from './checks/check-entry.ts'
import { openShapes } from './checks/check-shapes.ts'
import type { Report } from './checks/report.ts'
import { openValidator } from './compile-parameters.ts'
import type { Catalogue } from './read-catalogue.ts'
import { declarationOf, readDeclaration } from './read-declaration.ts'

/**
 * Checks that the files agree with the models that operators changed through the graph (`kept`, by their IDs), and
 * that these are still valid. Throws an Error that lists every fault by model.
 */
export async function checkKept(
  sql: SqlTransaction,
  { vendors, models, chatParameters }: Catalogue,
  kept: readonly string[],
): Promise<void> {
  if (kept.length === 0) return
  const rows = await sql<{ entry: CatalogueEntry }[]>`
    select data as entry from models where id = any(${kept}::text[]) and not is_removed`
  const faults: string[] = []
  const reportOn =
    (id: string): Report =>
    (path, message) =>
      void faults.push(faultText(id, path, message))

  const byLabel = new Map(vendors.map(vendor => [vendor.label, vendor]))
  const context = { shapes: openShapes(), validator: openValidator(), vendors: byLabel, chatParameters }
  const read = (entry: CatalogueEntry): ReadEntry[] => {
    const report = reportOn(entry.id)
    const again = readDeclaration(context, declarationOf(entry), report)
    return again ? [{ entry: again, report }] : []
  }
  const isKept = new Set(kept)
  const ofFiles = models.filter(({ id }) => !isKept.has(id))
  checkReferences([
    ...ofFiles.map(entry => ({ entry, report: reportOn(entry.id) })),
    ...rows.flatMap(({ entry }) => read(entry)),
  ])
  if (faults.length > 0) throw new Error([advice, ...faults].join('\n'))
}

const advice =
  'The files conflict with changes made through the graph. Change either of them, or let the files win with --take-over.'

function faultText(id: string, path: ValuePath, message: string): string {
  return [id, ...(path.length > 0 ? [printPath(path)] : []), message].join(': ')
}
