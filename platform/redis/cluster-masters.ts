import type { Cluster } from 'ioredis'

/** The masters that own the slots of a cluster, by their addresses, and those among them without an answer. */
export interface Masters {
  all: readonly string[]
  silent: readonly string[]
}

/** Sends a PING to each master. A master whose connection was lost counts as silent. Never throws. */
export async function pingMasters(cluster: Cluster): Promise<Masters> {
  const owners = new Set<string>()
  for (const [owner] of cluster.slots) if (owner) owners.add(owner)
  const nodes = new Map(
    cluster.nodes('master').map(node => [`${node.options.host}:${node.options.port}`, node]),
  )
  const all = [...owners]
  const answers = await Promise.all(
    all.map(owner =>
      (nodes.get(owner)?.ping() ?? Promise.reject(new Error('not connected'))).then(
        () => true,
        () => false,
      ),
    ),
  )
  return { all, silent: all.filter((_, at) => !answers[at]) }
}
