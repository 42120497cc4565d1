import { findModelIds } from '../../domain/models/model-records.ts'
import { visibilityOf } from '../../domain/models/reachable-models.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'

export const Model = entityReference('Model')

const idByName = batched({
  findAll: (context, names) => findModelIds(context, { names, ...visibilityOf(context) }),
  idOf: ({ name }) => name,
})

/** Returns the model with this name in requests, or null if the caller cannot see it. */
export async function modelNamed(
  context: SubgraphContext,
  name: string | null | undefined,
): Promise<{ id: string } | null> {
  const found = name ? await idByName(context, name) : undefined
  return found ? { id: found.id } : null
}
