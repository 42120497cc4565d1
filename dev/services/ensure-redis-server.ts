import { execFileSync } from 'node:child_process'
import { findRedisServer } from './start-redis.ts'

/**
 * The path of a Redis server binary: one on the PATH, else installed with apt where that is possible (root on
 * Debian). Throws one clear line that says what to install otherwise.
 */
export async function ensureRedisServer(): Promise<string> {
  const found = findRedisServer()
  if (found) return found
  if (process.getuid?.() === 0) {
    try {
      execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore' })
      execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'redis-server'], {
        stdio: 'ignore',
      })
    } catch {
      // said below
    }
  }
  const installed = findRedisServer()
  if (installed) return installed
  throw new Error('Redis is missing: install redis-server or valkey-server, or set REDIS_URL')
}
