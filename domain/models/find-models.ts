import type { Context } from '../context.ts'
import { type ModelRecord, modelColumns } from './model-record.ts'

/** Finds those of many catalogue ids that are active models, in one statement and in any order. */
export async function findModels(
  { sql }: Pick<Context, 'sql'>,
  { ids }: { ids: readonly string[] },
): Promise<ModelRecord[]> {
  return sql<ModelRecord[]>`
    select ${modelColumns(sql)} from models where is_active and id = any(${ids}::text[])`
}
