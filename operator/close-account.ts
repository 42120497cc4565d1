import { readOverview } from '../domain/accounts/list-accounts.ts'
import { beginAction, dropAction } from '../domain/audit/record-action.ts'
import { closeAccount, reopenAccount } from '../domain/closures/close-account.ts'
import { isUuid } from '../platform/checks.ts'
import type { Config } from '../platform/config/read-config.ts'
import { systemIds } from '../platform/ids.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { dollars } from '../platform/money.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'
import { withRedis } from '../platform/redis/with-redis.ts'
import { Problem } from '../schema/errors.ts'

const help = `
Closes an account: its API keys and sessions are refused, and its data are deleted after CLOSED_ACCOUNT_DAYS. Until then
it can be reopened. Payments are not refunded. docs/closing.md describes how to export the data first.

  npm run account:close -- --account ID REASON
  npm run account:close -- --account ID --reopen REASON

  --account  the account's ID, as GET /api/v1/me returns it
  --reopen   reopens the account instead
  REASON     the reason, which the account's audit log shows

After the result is printed, no process uses the account's old state. DATABASE_URL names the database. REDIS_URL and
REDIS_PREFIX name the Redis of the running processes.
`

await runMain({
  name: 'account:close',
  help,
  maxOperands: 100, // REASON may be several words
  options: { account: { type: 'string' }, reopen: { type: 'boolean' } },
  start: closeByHand,
})

async function closeByHand(config: Config, given: Given): Promise<undefined> {
  const { accountId, reason, isReopening } = readClosure(given)
  await withPostgres({ ...directAddress(config), name: 'account:close' }, async sql => {
    const context = { sql, ids: systemIds }
    const action = await beginAction(context, {
      accountId,
      name: isReopening ? 'reopenAccount' : 'closeAccount',
      actor: { kind: 'operator', id: 'command line' },
      fields: ['reason'],
      reason,
    })
    const change = isReopening ? reopenAccount : closeAccount
    const changing = withRedis(config, { name: 'account:close' }, ({ redis }) =>
      change({ sql, config, redis }, { accountId, reason, action }),
    )
    await changing.catch(async error => {
      if (error instanceof Problem) await dropAction(context, action)
      throw error
    })
    const account = await readOverview({ sql }, { accountId })
    if (!account) return
    const { name, eraseAt, creditsNanos, heldNanos } = account
    const state = eraseAt ? `closed, its data are deleted from ${eraseAt.toISOString()} on` : 'open'
    process.stdout.write(`${name} (${accountId}): ${state}\n`)
    process.stdout.write(`credits $${dollars(creditsNanos)}, held $${dollars(heldNanos)}\n`)
  })
}

function readClosure({ operands, options }: Given) {
  const { account: accountId, reopen } = options
  const reason = operands.join(' ').trim()
  if (typeof accountId !== 'string' || !isUuid(accountId))
    throw new Error('--account must be the ID of an account: see --help')
  if (!reason || reason.length > 500) throw new Error('give a REASON of at most 500 characters: see --help')
  return { accountId, reason, isReopening: reopen === true }
}
