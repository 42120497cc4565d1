import { findModelIds } from '../../domain/models/model-records.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'

const idByName = batched({
  findAll: (context, names) => findModelIds(context, { names }),
  idOf: ({ name }) => name,
})

/** The model of the catalogue that requests name so; null where there is none, or none any more. */
export async function modelNamed(
  context: SubgraphContext,
  name: string | null | undefined,
): Promise<{ id: string } | null> {
  const found = name ? await idByName(context, name) : undefined
  return found ? { id: found.id } : null
}
