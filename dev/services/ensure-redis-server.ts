import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a Redis server binary. Throws one line that says what to install where the PATH has none. */
export async function ensureRedisServer(): Promise<string> {
  const found = findRedisServer(process.env.PATH)
  if (found) return found
  throw new Error('a Redis server is needed: put redis-server or valkey-server, 7 or newer, on the PATH')
}

/** The first of redis-server and valkey-server in the folders of `path`, which is read as the PATH is. */
export function findRedisServer(path = ''): string | undefined {
  const folders = path.split(delimiter).filter(folder => folder !== '')
  const candidates = ['redis-server', 'valkey-server'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  )
  return candidates.find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
