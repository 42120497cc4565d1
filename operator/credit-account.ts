import { findAccount } from '../domain/accounts/accounts.ts'
import { beginAction, dropAction } from '../domain/audit/record-action.ts'
import { adjustAccount } from '../domain/billing/adjust-account.ts'
import type { Config } from '../platform/config/read-config.ts'
import { systemIds } from '../platform/ids.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { dollars, NANOS_PER_DOLLAR, nanos } from '../platform/money.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'
import { withRedis } from '../platform/redis/with-redis.ts'
import { Problem } from '../schema/errors.ts'

const help = `
Adds credits to an account, or removes them. It never removes more than is available: the credits minus the amount that is
held for requests in flight.

  npm run account:credit -- ACCOUNT DOLLARS REASON [--id ID]

  ACCOUNT    the e-mail address of a member of the account, or the ID of the account
  DOLLARS    the amount, such as 25 or 0.5; -10 removes ten dollars
  REASON     the reason, which is stored with the transaction
  --id       an ID that makes the command safe to repeat: a second run with the same ID changes nothing

After a debit is printed, no process spends amounts that it held before. DATABASE_URL names the database. REDIS_URL and
REDIS_PREFIX name the Redis of the running processes.
`

/** Maximum amount of one command, in dollars. A larger one is probably a mistake. */
const maxDollars = 1_000_000n

await runMain({
  name: 'account:credit',
  help,
  maxOperands: 100, // REASON may be several words
  options: { id: { type: 'string' } },
  start: creditByHand,
})

async function creditByHand(config: Config, given: Given): Promise<undefined> {
  const { account, amountNanos, reason, id } = readCredit(given)
  await withPostgres({ ...directAddress(config), name: 'account:credit' }, async sql => {
    const { accountId, name } = await findAccount({ sql }, { emailOrId: account })
    const direction = amountNanos < 0n ? 'debit' : 'credit'
    const context = { sql, ids: systemIds }
    const action = await beginAction(context, {
      accountId,
      name: `${direction}Account`,
      actor: { kind: 'operator', id: 'command line' },
      fields: ['amount', 'reason'],
      reason,
    })
    const adjustment = {
      accountId,
      direction,
      amountNanos: amountNanos < 0n ? -amountNanos : amountNanos,
      reason,
      idempotencyKey: id,
      action,
    } as const
    const adjusting = withRedis(config, { name: 'account:credit' }, connections =>
      adjustAccount({ ...context, ...connections, config }, adjustment),
    )
    const adjusted = await adjusting.catch(async error => {
      if (error instanceof Problem) await dropAction(context, action)
      throw error
    })
    const { isNew, transactionId, creditsNanos, heldNanos } = adjusted
    const done = isNew ? `$${dollars(amountNanos)}` : 'nothing changed: this id was booked before'
    process.stdout.write(`${name} (${accountId}): ${done}, transaction ${transactionId}\n`)
    process.stdout.write(`credits $${dollars(creditsNanos)}, held $${dollars(heldNanos)}\n`)
  })
}

function readCredit({ operands, options }: Given) {
  const [account, amount, ...words] = operands
  const reason = words.join(' ').trim()
  if (!account || !amount || !reason) throw new Error('give ACCOUNT, DOLLARS and REASON: see --help')
  const amountNanos = /^[-+]?(\d+\.?\d*|\.\d+)$/.test(amount) ? nanos(Number(amount)) : undefined
  const size = amountNanos !== undefined && amountNanos < 0n ? -amountNanos : amountNanos
  if (!amountNanos || !size || size > maxDollars * NANOS_PER_DOLLAR)
    throw new Error(
      `DOLLARS must be an amount other than 0, at most ${maxDollars} either way, with at most nine decimals`,
    )
  if (reason.length > 500) throw new Error('REASON must have at most 500 characters')
  const { id } = options
  if (id !== undefined && !/^[\x21-\x7e]{1,100}$/.test(String(id)))
    throw new Error('--id must be 1 to 100 visible characters without spaces')
  return { account, amountNanos, reason, id: id === undefined ? undefined : String(id) }
}
