const batchRows = 5_000

/**
 * Deletes with statements of bounded size, so that none holds its locks for long: `deleteSome` deletes at most as many
 * rows as it is told, and is called until there are fewer. Resolves to how many went.
 */
export async function deleteInBatches(
  deleteSome: (limit: number) => PromiseLike<{ count: number }>,
): Promise<number> {
  let deleted = 0
  for (let count = batchRows; count === batchRows; deleted += count)
    count = (await deleteSome(batchRows)).count
  return deleted
}
