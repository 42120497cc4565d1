const batchRows = 5_000

/**
 * Deletes rows in statements of limited size, so that no statement holds its locks for long. `deleteSome` deletes at
 * most `limit` rows and is called until it deletes fewer. Resolves to the number of deleted rows.
 */
export async function deleteInBatches(
  deleteSome: (limit: number) => PromiseLike<{ count: number }>,
): Promise<number> {
  let deleted = 0
  for (let count = batchRows; count === batchRows; deleted += count)
    count = (await deleteSome(batchRows)).count
  return deleted
}
