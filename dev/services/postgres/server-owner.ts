import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Whom a database server runs as. */
export interface Owner {
  name: string
  uid: number
  gid: number
}

/** Where root puts what a server must reach when the checkout is closed to others. */
export const sharedFolder = '/var/lib/rubicon'

/** PostgreSQL refuses to run as root: then it runs as `postgres`, or else `nobody`. Otherwise as ourselves. */
export function findServerOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid !== undefined && gid !== undefined) return { name, uid, gid }
  }
  throw new Error('PostgreSQL cannot run as root, and there is no user postgres or nobody: set DATABASE_URL')
}

/**
 * A folder that belongs to `owner` and that it can reach: `wanted`, or, where a folder above is closed to it, one
 * under /var/lib/rubicon, the same for the same `wanted`.
 */
export function ownedFolder(wanted: string, owner: Owner | undefined): string {
  mkdirSync(wanted, { recursive: true })
  if (!owner || handOver(wanted, owner)) return wanted
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 12)
  const folder = join(sharedFolder, digest)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (handOver(folder, owner)) return folder
  throw new Error(
    `user ${owner.name} reaches neither ${wanted} nor ${folder}: set RUBICON_HOME or DATABASE_URL`,
  )
}

/** Gives the folder to `owner`, and says whether it can get there. */
function handOver(folder: string, { uid, gid }: Owner): boolean {
  chownSync(folder, uid, gid)
  return spawnSync('/bin/sh', ['-c', 'test -d "$0/."', folder], { cwd: '/', uid, gid }).status === 0
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    return undefined
  }
}
