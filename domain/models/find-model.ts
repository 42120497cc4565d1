import type { Context } from '../context.ts'
import { type ModelRecord, modelColumns } from './model-record.ts'

/** Finds an active model by its catalogue id, or by the name that inference requests use. */
export async function findModel(
  { sql }: Pick<Context, 'sql'>,
  { id }: { id: string },
): Promise<ModelRecord | undefined> {
  const [record] = await sql<ModelRecord[]>`
    select ${modelColumns(sql)} from models where is_active and (id = ${id} or model = ${id})`
  return record
}
