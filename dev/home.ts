import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { removePostgresData } from './services/postgres.ts'

/** Where a checkout keeps what `npm start` makes: databases, secrets, logs, addresses. */
export interface Home {
  folder: string
  logs: string
  postgres: string
  redis: string
  media: string
  /** Addresses, log-in and keys, for scripts. */
  devFile: string
  secretsFile: string
  /** Eight characters that tell this home from others on the machine. */
  digest: string
}

/** The checkout itself. */
export const checkout = resolve(import.meta.dirname, '../..')

/** Opens the home: `RUBICON_HOME`, or `.rubicon` in the checkout. Throws one line when it cannot be made. */
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
    digest: createHash('sha256').update(folder).digest('hex').slice(0, 8),
  }
}

/**
 * Claims the home for this process, with a socket that nobody else can hold and that a killed process lets go.
 * Throws one line when another start lives in it. Resolves with a function that gives it back.
 */
export async function claimHome(home: Home): Promise<() => void> {
  const path = join(tmpdir(), `rubicon-${home.digest}.sock`)
  if (await somebodyListens(path)) throw new Error(`Rubicon runs already from ${home.folder}: stop it first`)
  rmSync(path, { force: true })
  const server = createServer(socket => socket.end())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  server.unref()
  return () => void server.close()
}

function somebodyListens(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Empties the home: database, media, addresses. The secrets stay: an outside database may need them. */
export async function resetHome(home: Home): Promise<void> {
  await removePostgresData({ folder: home.postgres })
  for (const path of [home.media, home.devFile]) rmSync(path, { recursive: true, force: true })
}

/** What must not be the same in two checkouts, nor change between two starts of one. */
export interface Secrets {
  MASTER_KEYS: string
  KEY_PEPPER: string
  SUBGRAPH_SECRET: string
  demoPassword: string
}

/** The secrets of this home, drawn at its first start and kept. */
export function keepSecrets(home: Home): Secrets {
  const kept: Partial<Secrets> = existsSync(home.secretsFile)
    ? JSON.parse(readFileSync(home.secretsFile, 'utf8'))
    : {}
  const secrets: Secrets = {
    MASTER_KEYS: `dev=${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64url'),
    SUBGRAPH_SECRET: randomBytes(32).toString('base64url'),
    demoPassword: randomBytes(12).toString('base64url'),
    ...kept,
  }
  writeFileSync(home.secretsFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}

/** What scripts and tests need to use a running system: `.rubicon/dev.json`. */
export interface DevFile {
  base_url: string
  graphql_url: string
  media_url: string
  email: string
  password: string
  jwt: string
  api_key: string
  provisioning_key: string
  simulator_url: string
  database_url: string
  redis_url: string
}

/** Writes the file whole or not at all, readable by its owner alone. */
export function writeDevFile(home: Home, content: DevFile): void {
  const unfinished = `${home.devFile}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, home.devFile)
}
