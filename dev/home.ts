import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { mintOperatorKey } from '../domain/callers/operators.ts'
import { systemIds } from '../platform/ids.ts'
import { removePostgresData } from './services/postgres.ts'

/** The folder of a checkout in which `npm start` stores databases, secrets, logs and addresses. */
export interface Home {
  folder: string
  logs: string
  postgres: string
  redis: string
  media: string
  /** Addresses, log-in and keys, for scripts. */
  devFile: string
  secretsFile: string
  /** The simulated issuer of single sign-on, as `SINGLE_SIGN_ON_FILE`. */
  issuersFile: string
  /**
   * Eight characters of a hash of the folder. They keep names apart that several checkouts on a machine would share.
   */
  digest: string
}

/** The checkout itself. */
export const checkout = resolve(import.meta.dirname, '..')

/**
 * Opens the home: `RUBICON_HOME`, or `.rubicon` in the checkout. Throws a one-line error if it cannot be created.
 */
export function openHome(env: NodeJS.ProcessEnv): Home {
  const folder = resolve(checkout, env.RUBICON_HOME || '.rubicon')
  const inside = (name: string) => join(folder, name)
  try {
    mkdirSync(inside('logs'), { recursive: true })
  } catch (error) {
    throw new Error(`${folder} cannot be written: set RUBICON_HOME to a folder that can`, { cause: error })
  }
  return {
    folder,
    logs: inside('logs'),
    postgres: inside('postgres'),
    redis: inside('redis'),
    media: inside('media'),
    devFile: inside('dev.json'),
    secretsFile: inside('secrets.json'),
    issuersFile: inside('single-sign-on.json'),
    digest: createHash('sha256').update(folder).digest('hex').slice(0, 8),
  }
}

/**
 * Locks the home for this process by listening on a Unix socket, which the system closes even if the process is killed.
 * Throws a one-line error if another start already uses it. Resolves to a function that unlocks it.
 */
export async function claimHome(home: Home): Promise<() => void> {
  const path = join(tmpdir(), `rubicon-${home.digest}.sock`)
  if (await isPortOpen(path)) throw new Error(`Rubicon is already running from ${home.folder}: stop it first`)
  rmSync(path, { force: true })
  const server = createServer(socket => socket.end())
  await new Promise<void>((listening, reject) => {
    server.once('error', reject)
    server.listen(path, listening)
  })
  server.unref()
  return () => void server.close()
}

function isPortOpen(path: string): Promise<boolean> {
  return new Promise(answer => {
    const socket = createConnection(path, () => {
      socket.destroy()
      answer(true)
    })
    socket.once('error', () => answer(false))
  })
}

/**
 * Deletes database, media and dev.json. Keeps the secrets, because the database of DATABASE_URL is encrypted with them.
 */
export async function resetHome(home: Home): Promise<void> {
  await removePostgresData({ folder: home.postgres })
  for (const path of [home.media, home.devFile]) rmSync(path, { recursive: true, force: true })
}

/** Secrets that differ between checkouts and remain the same for all starts of one checkout. */
export interface Secrets {
  MASTER_KEYS: string
  KEY_PEPPER: string
  SUBGRAPH_SECRET: string
  demoPassword: string
  /** An operator's key, and its digest for OPERATOR_KEYS. */
  demoOperator: { key: string; digest: string }
}

/** Returns the secrets of this home. The first start generates them; later starts read them from its file. */
export function keepSecrets(home: Home): Secrets {
  const kept: Partial<Secrets> = existsSync(home.secretsFile)
    ? JSON.parse(readFileSync(home.secretsFile, 'utf8'))
    : {}
  const secrets: Secrets = {
    MASTER_KEYS: `dev=${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64url'),
    SUBGRAPH_SECRET: randomBytes(32).toString('base64url'),
    demoPassword: randomBytes(12).toString('base64url'),
    demoOperator: mintOperatorKey(systemIds),
    ...kept,
  }
  writeFileSync(home.secretsFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}

/** The content of `.rubicon/dev.json`, with which scripts and tests use a running system. */
export interface DevFile {
  base_url: string
  /** The console, with the demo account's log-in filled in. Empty if it is not built. */
  console_url: string
  graphql_url: string
  /** The graph's explorer in a browser, with the demo account's log-in filled in. */
  explorer_url: string
  media_url: string
  email: string
  password: string
  jwt: string
  api_key: string
  provisioning_key: string
  /** The key of the operator `demo`; empty if the environment has OPERATOR_KEYS. */
  operator_key: string
  simulator_url: string
  /** Receives callbacks of the demo account at `/callbacks`. They are signed with `callback_secret`. */
  receiver_url: string
  callback_secret: string
  /** The page of simulated payments; empty if payments are real. */
  payments_url: string
  /** The page of caught e-mails; `/mails` returns them as JSON. */
  mailbox_url: string
  /** The page for single sign-on; empty if the environment names no issuer. */
  sign_in_url: string
  database_url: string
  redis_url: string
}

/** Writes dev.json atomically, readable only by its owner. */
export function writeDevFile(home: Home, content: DevFile): void {
  const unfinished = `${home.devFile}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, home.devFile)
}
