import { text } from 'node:stream/consumers'
import { checkSignUp, openAccount } from '../domain/accounts/open-account.ts'
import { hashPassword } from '../domain/accounts/passwords.ts'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { systemIds } from '../platform/ids.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Opens an account with its first user, even if sign-up is closed (SIGN_UP). Its balance is zero: see
npm run account:credit.

  npm run account:create -- EMAIL [--name NAME] [--password-stdin]

  EMAIL              the e-mail address with which the user logs in
  --name             the account's name; the e-mail address by default
  --password-stdin   reads the password from standard input, so that it is not in the shell's history. Without this
                     option, a random password is printed once

DATABASE_URL names the database.
`

await runMain({
  name: 'account:create',
  help,
  maxOperands: 1,
  options: { name: { type: 'string' }, 'password-stdin': { type: 'boolean' } },
  start: createAccount,
})

async function createAccount(config: Config, { operands, options }: Given): Promise<undefined> {
  const [email] = operands
  if (email === undefined) throw new Error('give EMAIL: see --help')
  const isDrawn = options['password-stdin'] !== true
  const password = isDrawn ? systemIds.secret(24) : (await text(process.stdin)).replace(/\r?\n$/, '')
  const name = typeof options.name === 'string' ? options.name : undefined
  const checked = checkSignUp({ email, password, name })

  await withPostgres({ ...directAddress(config), name: 'account:create' }, async sql => {
    const passwordHash = await hashPassword(password)
    const context = { sql, clock: systemClock, ids: systemIds }
    const { accountId } = await openAccount(context, { ...checked, passwordHash, isConfirmed: true })
    process.stdout.write(`account ${accountId}, log-in ${checked.email}\n`)
    if (isDrawn) process.stdout.write(`password ${password}\n`)
  })
}
