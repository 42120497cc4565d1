import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../dev/services/ports.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'

/** A Redis Cluster of three masters, each with a replica. Its servers have a password. */
export interface RedisCluster {
  /** The addresses of all nodes. */
  url: string
  /** Kills the first master of a key. */
  killMasterOf(key: string): Promise<void>
  close(): Promise<void>
}

const password = 'secret'
const slotCount = 16_384
const masterCount = 3

/** Starts one. A master counts as failed after `nodeTimeoutMs`; its replica is then promoted. */
export async function aRedisCluster({ nodeTimeoutMs }: { nodeTimeoutMs: number }): Promise<RedisCluster> {
  const binary = await ensureRedisServer()
  const flags = [
    ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)],
    ...['--cluster-require-full-coverage', 'no', '--cluster-allow-replica-migration', 'no'],
    ...['--masterauth', password, '--repl-diskless-sync-delay', '0'],
  ]
  const servers = await Promise.all(
    Array.from({ length: 2 * masterCount }, async () => {
      const port = await freePort()
      return { port, server: await startRedis({ binary, port, flags }) }
    }),
  )
  const nodes = servers.map(({ port }) => new Redis({ port, host: '127.0.0.1' }))
  const [first] = nodes
  if (!first) throw new Error('a cluster has nodes')
  for (const node of nodes) await node.config('SET', 'requirepass', password)
  for (const [at, node] of nodes.entries()) {
    if (at > 0) await node.cluster('MEET', '127.0.0.1', servers[0]?.port ?? 0)
    const from = Math.floor((slotCount * at) / masterCount)
    const to = Math.floor((slotCount * (at + 1)) / masterCount) - 1
    if (at < masterCount) await node.call('CLUSTER', 'ADDSLOTSRANGE', from, to)
  }
  const informed = async (node: Redis) => {
    const info = String(await node.cluster('INFO'))
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`)
  }
  for (const node of nodes) while (!(await informed(node))) await sleep(20)
  for (const [at, node] of nodes.entries()) {
    if (at < masterCount) continue
    await node.cluster('REPLICATE', String(await nodes[at - masterCount]?.cluster('MYID')))
    while (!String(await node.info('replication')).includes('master_link_status:up')) await sleep(20)
  }
  for (const node of nodes) node.on('error', () => {})
  return {
    url: servers.map(({ port }) => `redis://:${password}@127.0.0.1:${port}`).join(','),
    async killMasterOf(key) {
      const slot = await first.cluster('KEYSLOT', key)
      const owner = servers[Math.floor((slot * masterCount) / slotCount)]
      if (!owner) throw new Error('every slot has an owner')
      process.kill(owner.server.pid, 'SIGKILL')
      await owner.server.ended
    },
    async close() {
      for (const node of nodes) node.disconnect()
      await Promise.all(servers.map(({ server }) => server.stop()))
    },
  }
}
