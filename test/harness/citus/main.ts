/** `npm run test:citus`: the ledger's tests on a Citus cluster. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresService, startPostgres } from '../../../dev/services/postgres.ts'

const tests = [
  ...['domain/ledger', 'domain/idempotency', 'operator/citus', 'operator/reconcile.test.ts'],
  ...['test/accounts/new-account.test.ts', 'test/payments/top-up.test.ts', 'test/tasks/journeys.test.ts'],
]

/** Citus opens more connections for each database, and runs a process for each that resolves open commits. */
const settings = [
  'shared_preload_libraries=citus',
  'max_connections=400',
  'max_prepared_transactions=400',
  'max_worker_processes=100',
  'fsync=off',
  'full_page_writes=off',
  'citus.shard_count=8',
  'citus.recover_2pc_interval=5s',
  'citus.node_conninfo=sslmode=disable',
]

/** The nodes log in to each other as the user `postgres`. */
process.env.PGPASSWORD = 'postgres'

const installed = findCitus()
if (installed) process.exitCode = await runTests(installed)
else process.stdout.write('Citus is not installed here: its tests are skipped.\n')

/** Finds a PostgreSQL with Citus: the one of `pg_config`, or one of Debian's. Returns the folder of its binaries. */
function findCitus(): string | undefined {
  for (const command of ['pg_config', ...globSync('/usr/lib/postgresql/*/bin/pg_config')]) {
    try {
      const read = (option: string) => execFileSync(command, [option], { encoding: 'utf8' }).trim()
      if (existsSync(join(read('--sharedir'), 'extension', 'citus.control'))) return read('--bindir')
    } catch {
      // there is no such command
    }
  }
  return undefined
}

/** Starts a coordinator and two workers, and runs the tests on them. Returns the exit code. */
async function runTests(binaries: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-citus-'))
  await chmod(folder, 0o755) // PostgreSQL may run as another user
  const nodes: PostgresService[] = []
  try {
    for (const name of ['coordinator', 'worker-1', 'worker-2'])
      nodes.push(
        await startPostgres({
          folder: join(folder, name),
          binaries,
          flags: settings.flatMap(setting => ['-c', setting]),
        }),
      )
    const CITUS_URLS = nodes.map(node => node.urlOf('postgres')).join()
    const { status } = spawnSync('vitest', ['run', '--project', 'journeys', '--maxWorkers', '2', ...tests], {
      stdio: 'inherit',
      env: { ...process.env, CITUS_URLS },
    })
    return status ?? 1
  } finally {
    await Promise.all(nodes.map(node => node.stop()))
    await rm(folder, { recursive: true, force: true })
  }
}
