import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '../../../platform/postgres/open-postgres.ts'

/** How long a server that is just ending may take. */
const patienceMs = 10_000

/**
 * Ends the server that an earlier start, killed before it could clean up, left running on that data folder, and
 * waits for one that is ending already. It is asked first which folder it serves: its process id alone may by now
 * be somebody else's.
 */
export async function endLeftPostgres(data: string, urlOn: (port: number) => string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid')
  for (const startedAt = Date.now(); Date.now() - startedAt < patienceMs; await sleep(50)) {
    if (!existsSync(pidFile)) return
    const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n').map(Number)
    if (!pid || !port || !isAlive(pid)) return
    const served = await folderServed(urlOn(port))
    if (served === data) process.kill(pid, 'SIGINT')
    else if (served !== undefined) return
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function folderServed(url: string): Promise<string | undefined> {
  const sql = openPostgres({ url, name: 'dev-start', maxConnections: 1 })
  try {
    const [row] = await sql<{ folder: string }[]>`select current_setting('data_directory') as folder`
    return row?.folder
  } catch {
    return undefined // nobody answers, or somebody else's server
  } finally {
    await sql.end({ timeout: 1 })
  }
}
