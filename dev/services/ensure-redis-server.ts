import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * The path of a Redis server binary: one on the PATH, else installed with apt where that is possible (root on
 * Debian). Throws one clear line that says what to install otherwise.
 */
export async function ensureRedisServer(): Promise<string> {
  const found = findRedisServer() ?? (await installRedisServer())
  if (found) return found
  throw new Error('Redis is missing: install redis-server or valkey-server, or set REDIS_URL')
}

/** The first of redis-server and valkey-server on the PATH. */
function findRedisServer(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = ['redis-server', 'valkey-server'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  )
  return candidates.find(isExecutable)
}

async function installRedisServer(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...words: string[]) => promisify(execFile)('apt-get', ['-q', ...words], { env })
  try {
    await apt('update')
    await apt('install', '-y', '--no-install-recommends', 'redis-server')
  } catch {
    return undefined // the caller says what is missing
  }
  return findRedisServer()
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
