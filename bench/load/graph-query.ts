/** The query of a tool with a key: the account, its balance, and the first models with their prices. */
export const keyQuery = `{ me { name balance { credits held available } }
  models(first: 20) { nodes { id name modality pricing { unit rates { of price } } } } }`
