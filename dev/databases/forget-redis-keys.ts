import { Cluster } from 'ioredis'
import { noRedis, openRedis } from '../../platform/redis/open-redis.ts'

/** Deletes every key that begins with `prefix`, a thousand at a time, and touches no other. */
export async function forgetRedisKeys(options: {
  url: string
  cluster: boolean
  prefix: string
}): Promise<void> {
  if (options.url === noRedis) return
  const client = openRedis({ url: options.url, cluster: options.cluster, name: 'dev-reset' })
  await new Promise((resolve, reject) => client.once('ready', resolve).once('error', reject))
  try {
    for (const node of client instanceof Cluster ? client.nodes('master') : [client]) {
      for await (const keys of node.scanStream({ match: `${literally(options.prefix)}*`, count: 1000 })) {
        for (const key of keys) await node.unlink(key)
      }
    }
  } finally {
    client.disconnect()
  }
}

/** The prefix as a pattern that matches nothing but itself. */
function literally(prefix: string): string {
  return prefix.replaceAll(/[\\*?[\]]/g, '\\$&')
}
