/** Where the graph is written down: each subgraph's SDL, and what they compose to. */
export const graphFolder = new URL('../../schema/graph/', import.meta.url)

export const supergraphFile = 'supergraph.graphql'
