import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createConnection } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

export interface RedisService {
  url: string
  pid: number
  stop(): Promise<void>
}

/** The first of redis-server and valkey-server on the PATH. */
export function findRedisServer(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = ['redis-server', 'valkey-server'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  )
  return candidates.find(isExecutable)
}

/** Starts `binary` on loopback, keeping nothing on disk. Throws when it does not answer within ten seconds. */
export async function startRedis(options: { binary: string; port?: number }): Promise<RedisService> {
  const port = options.port ?? (await freePort())
  const server = spawn(
    options.binary,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'],
    { stdio: 'ignore', detached: true },
  )
  const ended = new Promise<void>(resolve => server.once('exit', () => resolve()))
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries >= 200 || server.exitCode !== null)
      throw new Error(`${options.binary} did not start on port ${port}`)
    await sleep(50)
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid!,
    async stop() {
      server.kill('SIGTERM')
      await ended
    },
  }
}

/** Whether a Redis answers PING on that port of loopback. */
export function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write('PING\r\n'))
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(500, () => finish(false))
    socket.once('data', data => finish(data.toString().startsWith('+PONG')))
    socket.once('error', () => finish(false))
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
