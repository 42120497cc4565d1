import { findAccount } from '../../domain/accounts/find-account.ts'
import { creditAccount } from '../../domain/ledger/credit-account.ts'
import { systemIds } from '../../platform/ids.ts'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { findOrCreateKey } from './find-or-create-key.ts'
import { type LogIn, logInDemo } from './log-in-demo.ts'

/** An account that can be used at once. */
export interface DemoAccount extends LogIn {
  jwt: string
  apiKey: string
  provisioningKey: string
}

const startingCreditNanos = 100_000_000_000n

/**
 * The demo account: opened once, with the same log-in and keys at every start, and 100 dollars that it is given once.
 */
export async function seedDemoAccount(options: {
  baseUrl: string
  databaseUrl: string
  password: string
}): Promise<DemoAccount> {
  const { baseUrl, databaseUrl, password } = options
  const logIn = { email: 'demo@example.com', password }
  const sql = openPostgres({ url: databaseUrl, name: 'dev-start', maxConnections: 1 })
  try {
    const jwt = await logInDemo({ baseUrl }, logIn, sql)
    await giveStartingCredit(sql, logIn.email)
    const face = { baseUrl, jwt }
    const apiKey = await findOrCreateKey(face, { name: 'demo', isProvisioning: false })
    const provisioningKey = await findOrCreateKey(face, { name: 'demo provisioning', isProvisioning: true })
    return { ...logIn, jwt, apiKey, provisioningKey }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function giveStartingCredit(sql: Sql, email: string): Promise<void> {
  const { accountId } = await findAccount({ sql }, { email })
  const gift = { accountId, amountNanos: startingCreditNanos, source: 'demo', paymentMethod: 'grant' }
  await creditAccount({ sql, ids: systemIds }, gift)
}
