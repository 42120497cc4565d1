import { execFileSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from '../../../dev/services/find-binary.ts'
import { findServerOwner } from '../../../dev/services/install-postgres.ts'
import { type Service, spawnService } from '../../../dev/services/spawn-service.ts'

/** An installed PgBouncer. */
export interface Binary {
  path: string
  /** Whether it prepares statements again on other server connections: since version 1.21. */
  keepsStatements: boolean
}

/** Returns the PgBouncer that the environment variable PGBOUNCER or the PATH names. Says on standard output if none does. */
export function findPgBouncer(skipped: string): Binary | undefined {
  const path = process.env.PGBOUNCER || findBinary(['pgbouncer'], process.env.PATH)
  if (path) {
    const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(execFileSync(path, ['--version']).toString()) ?? []
    return { path, keepsStatements: Number(major) > 1 || Number(minor) >= 21 }
  }
  process.stdout.write(`${skipped} is skipped: PGBOUNCER is not set, and no pgbouncer is on the PATH.\n`)
  return undefined
}

/** The limits that a role needs whose sessions come from a pooler. */
export const poolerLimits = {
  statement_timeout: '30s',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '2s',
}

/**
 * Returns a function that starts PgBouncer in transaction mode, and resolves when it accepts connections. Its server
 * connections have a role of their own, whose name is also its password. `folder` is empty.
 */
export function preparePgBouncer(
  { path, keepsStatements }: Binary,
  options: { folder: string; port: number; server: URL; role: string; lines?: readonly string[] },
): () => Promise<Service> {
  const { folder, port, server, role, lines = [] } = options
  const owner = findServerOwner() // PgBouncer does not run as root
  const file = join(folder, 'pgbouncer.ini')
  const configuration = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port} user=${role} password=${role}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 10',
    ...(keepsStatements ? ['max_prepared_statements = 200'] : []),
    ...lines,
  ]
  writeFileSync(file, `${configuration.join('\n')}\n`)
  if (owner) for (const own of [folder, file]) chownSync(own, owner.uid, owner.gid)
  return async () => {
    const logFile = join(folder, 'pgbouncer.log')
    const service = await spawnService({
      command: path,
      args: [file],
      folder,
      logFile,
      ...(owner && { owner }),
    })
    let end: string | undefined
    void service.ended.then(reason => {
      end = reason
    })
    while (!(await accepts(port))) {
      if (end !== undefined) throw new Error(`PgBouncer did not start: ${service.printed()}`)
      await sleep(20)
    }
    return service
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    const finish = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => finish(true)).once('error', () => finish(false))
  })
}
