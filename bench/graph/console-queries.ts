/** The most frequent queries of a console, by name. */
export const consoleQueries: ReadonlyMap<string, string> = new Map([
  ['overview', '{ me { name balance { credits held available } apiKeys { id name disabled creditUsed } } }'],
  ['keys', '{ me { apiKeys { id name keyPrefix creditLimit creditUsed usage { requests spent } } } }'],
  [
    'requests',
    `{ requests(first: 20) {
      nodes { id createdAt status cost durationMs apiKey { name } } pageInfo { hasNextPage endCursor } } }`,
  ],
  ['models', '{ models(first: 20) { nodes { id name modality pricing { unit rates { of price } } } } }'],
  ['transactions', '{ transactions(first: 20) { nodes { id amount paymentMethod createdAt } totalCount } }'],
])
