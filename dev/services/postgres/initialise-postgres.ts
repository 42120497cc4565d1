import { execFile } from 'node:child_process'
import { chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Owner } from './server-owner.ts'

/**
 * Makes an empty database cluster in `folder/data`: UTF-8, byte order, user and password `postgres`, which is
 * enough on loopback. Throws one line with initdb's own words.
 */
export async function initialisePostgres(initdb: string, folder: string, owner?: Owner): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'postgres\n', { mode: 0o600 })
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  const words = [
    `--pgdata=${join(folder, 'data')}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync', // an empty cluster is quickly made again; the server itself does sync
  ]
  try {
    await promisify(execFile)(initdb, words, {
      cwd: folder,
      ...(owner && { uid: owner.uid, gid: owner.gid }),
    })
  } catch (error) {
    throw new Error(`PostgreSQL could not prepare ${folder}: ${wordsOf(error)}`, { cause: error })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

function wordsOf(error: unknown): string {
  const printed = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  const lines = printed.trim().split('\n')
  return lines.find(line => line.includes('error:')) ?? lines.at(-1) ?? 'initdb failed'
}
