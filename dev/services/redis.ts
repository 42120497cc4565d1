import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from './find-binary.ts'
import { freePort, requireFreePort } from './ports.ts'
import { type Service, spawnService } from './spawn-service.ts'

export interface RedisService extends Service {
  url: string
}

/** Flags of a server that stores nothing on disk. */
const inMemory = ['--save', '', '--appendonly', 'no']

/**
 * Starts `binary` on loopback without persistence, after stopping a server that an earlier start left on that port with
 * the same `folder`. Without `folder`, its files are deleted when it stops. Throws if it does not respond within ten seconds.
 */
export async function startRedis(options: {
  binary: string
  folder?: string
  port?: number
  flags?: readonly string[]
}): Promise<RedisService> {
  const port = options.port ?? (await freePort())
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'rubicon-redis-')))
  await mkdir(folder, { recursive: true })
  await endLeftOver(port, folder)
  await requireFreePort(port, 'Redis')
  const service = await spawnService({
    command: options.binary,
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', '.'],
      ...inMemory,
      ...(options.flags ?? []),
    ],
    folder,
    logFile: join(folder, 'redis.log'),
  })
  let end: string | undefined
  void service.ended.then(reason => {
    end = reason
  })
  for (let tries = 0; !(await sendToRedis(port, 'PING'))?.startsWith('+PONG'); tries++) {
    if (tries < 200 && end === undefined) await sleep(50)
    else {
      await service.stop()
      throw new Error(`Redis did not start: see ${join(folder, 'redis.log')}`)
    }
  }
  const stop = async () => {
    await service.stop()
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
  return { ...service, stop, url: `redis://127.0.0.1:${port}` }
}

async function endLeftOver(port: number, folder: string): Promise<void> {
  const answer = await sendToRedis(port, 'CONFIG GET dir')
  if (!answer?.split('\r\n').includes(folder)) return
  await sendToRedis(port, 'SHUTDOWN NOSAVE')
  for (let tries = 0; tries < 100 && (await sendToRedis(port, 'PING')) !== undefined; tries++) await sleep(50)
}

/** Sends one inline command to the Redis on a port of loopback. Resolves to undefined without a response. */
export function sendToRedis(port: number, command: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(`${command}\r\n`))
    const finish = (answer?: string) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(500, () => finish())
    socket.once('data', data => finish(data.toString()))
    socket.once('error', () => finish())
    socket.once('close', () => finish())
  })
}

/**
 * Returns the path of a Redis server binary. If the PATH has none, throws a one-line error that says what to install.
 */
export async function ensureRedisServer(): Promise<string> {
  const found = findRedisServer(process.env.PATH)
  if (found) return found
  throw new Error('a Redis server is needed: put redis-server or valkey-server, 7 or newer, on the PATH')
}

/** Returns the first redis-server or valkey-server in the folders of `path`, which has the format of the PATH. */
export function findRedisServer(path = ''): string | undefined {
  return findBinary(['redis-server', 'valkey-server'], path)
}
