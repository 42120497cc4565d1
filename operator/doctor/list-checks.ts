import type { Config } from '../../platform/config/read-config.ts'
import { lazily } from '../../platform/get-or-create.ts'
import { directAddress } from '../../platform/postgres/addresses.ts'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import type { Check, Result } from './check.ts'
import { checkBaseUrl, checkControlUrl } from './check-addresses.ts'
import { checkMail } from './check-mail.ts'
import { checkModels } from './check-models.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkRedis } from './check-redis.ts'
import { checkLogDatabase, checkMigrations, checkPartitions } from './check-schema.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkStorage } from './check-storage.ts'
import { checkStripe } from './check-stripe.ts'
import { checkVendors } from './check-vendors.ts'
import { checkJobs, checkProcesses } from './check-work.ts'

/** The parts that are checked only on request. */
export interface Requested {
  /** Whether each credential of a vendor sends a request, which costs a fraction of a cent. */
  vendors: boolean
  /** The recipient of a test e-mail. */
  mail: string | undefined
}

/** Maximum time of a statement, in milliseconds. */
const statementTimeoutMs = 5_000

/** One connection per check, so that a table that is locked delays only its own check. */
const maxConnections = 8

/**
 * Returns the checks of an installation. Those of the database wait for the checks of the server and of the tables, and
 * are skipped if these fail, because their own errors would only repeat the cause. `close` ends their connections.
 */
export function listChecks(
  config: Config,
  requested: Requested,
): { checks: Check[]; close(): Promise<void> } {
  const sql = openPostgres({ ...directAddress(config), name: 'doctor', maxConnections, statementTimeoutMs })
  const server = lazily(() => checkPostgres(config))
  const migrations = lazily(() => onServer(() => checkMigrations(sql)))

  async function onServer(run: () => Promise<Result>): Promise<Result> {
    const isReached = await server().then(
      () => true,
      () => false,
    )
    return isReached ? run() : { skipped: 'it needs Postgres' }
  }
  const onTables = (run: (sql: Sql) => Promise<Result>) => () =>
    onServer(async () => {
      const outcome = await migrations().catch(() => ({ findings: [{}] }))
      const isCurrent = 'findings' in outcome && outcome.findings.length === 0
      return isCurrent ? run(sql) : { skipped: 'it needs the tables of this version' }
    })

  const postgresRemedy = 'Read the log of Postgres, and see what locks the tables in pg_locks.'
  const checks: Check[] = [
    {
      name: 'Postgres',
      remedy: 'Correct DATABASE_URL, or start Postgres and read its log.',
      run: server,
    },
    {
      name: 'migrations',
      remedy: 'docs/operations.md, Upgrade, explains each line.',
      run: migrations,
    },
    { name: 'partitions', remedy: postgresRemedy, run: onTables(checkPartitions) },
    { name: 'processes', remedy: postgresRemedy, run: onTables(checkProcesses) },
    { name: 'jobs', remedy: postgresRemedy, run: onTables(checkJobs) },
    {
      name: 'secrets',
      remedy: 'After a restore, use the secrets of the time of the backup.',
      run: onTables(() => checkSecrets(sql, config)),
    },
    {
      name: 'log database',
      remedy: 'docs/operations.md, Log database, explains what to do.',
      run: onTables(() => checkLogDatabase(sql, config)),
    },
    { name: 'models', remedy: postgresRemedy, run: onTables(() => checkModels(sql, config)) },
    {
      name: 'Redis',
      remedy:
        'Correct REDIS_URL, or start Redis and read its log. Until then, each process counts rates by itself.',
      run: () => checkRedis(config),
    },
    {
      name: 'storage',
      remedy:
        'Correct the settings MEDIA_*, or the permissions of the key or folder. Until then, media fails.',
      run: () => checkStorage(config),
    },
    {
      name: 'mail',
      remedy: 'Correct SMTP_URL, or ask the operator of the mail server. Until then, e-mails wait.',
      run: () => checkMail(config, requested.mail),
    },
    {
      name: 'Stripe',
      remedy:
        'Correct STRIPE_SECRET_KEY. A restricted key needs read access to Webhook Endpoints and Events.',
      run: () => checkStripe(config),
    },
    {
      name: 'BASE_URL',
      remedy: 'Start the proxy and the edges, or correct BASE_URL, its DNS record or its certificate.',
      run: () => checkBaseUrl(config),
    },
    {
      name: 'CONTROL_URL',
      remedy: 'Start the control plane, or correct CONTROL_URL.',
      run: () => checkControlUrl(config),
    },
    ...(requested.vendors
      ? [{ name: 'vendors', remedy: postgresRemedy, run: onTables(() => checkVendors(sql, config)) }]
      : []),
  ]
  return { checks, close: () => sql.end({ timeout: 1 }) }
}
