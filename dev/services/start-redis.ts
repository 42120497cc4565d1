import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askRedis } from './ask-redis.ts'
import { freePort } from './free-port.ts'
import { requireFreePort } from './require-free-port.ts'
import { type Service, spawnService } from './spawn-service.ts'

export interface RedisService extends Service {
  url: string
}

/**
 * Starts `binary` on loopback, keeping nothing on disk but its log, after ending one that an earlier start left on
 * that port with the same `folder`. Throws when it does not answer within ten seconds.
 */
export async function startRedis(options: {
  binary: string
  folder?: string
  port?: number
}): Promise<RedisService> {
  const port = options.port ?? (await freePort())
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'rubicon-redis-')))
  await mkdir(folder, { recursive: true })
  await endLeftOver(port, folder)
  await requireFreePort(port, 'Redis')
  const service = await spawnService({
    command: options.binary,
    words: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '.'],
    folder,
    logFile: join(folder, 'redis.log'),
  })
  let end: string | undefined
  service.ended.then(reason => {
    end = reason
  })
  for (let tries = 0; !(await askRedis(port, 'PING'))?.startsWith('+PONG'); tries++) {
    if (tries < 200 && end === undefined) await sleep(50)
    else {
      await service.stop()
      throw new Error(`Redis did not start: see ${join(folder, 'redis.log')}`)
    }
  }
  return { ...service, url: `redis://127.0.0.1:${port}` }
}

async function endLeftOver(port: number, folder: string): Promise<void> {
  const answer = await askRedis(port, 'CONFIG GET dir')
  if (!answer?.split('\r\n').includes(folder)) return
  await askRedis(port, 'SHUTDOWN NOSAVE')
  for (let tries = 0; tries < 100 && (await askRedis(port, 'PING')) !== undefined; tries++) await sleep(50)
}
