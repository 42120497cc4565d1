import { randomBytes } from 'node:crypto'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { allowanceOf } from '../allowances/allowances.ts'
import { standingOf } from '../allowances/standing.ts'
import { type Action, beginAction, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import { findKey, type KeyRecord } from './key-records.ts'
import { tooManyKeys } from './key-settings.ts'
import { maskKeyText, mintKeyText } from './key-text.ts'

/** The name of a new key of the playground. The account can change it. */
const initialName = 'Playground'

/** Size of the HMAC that no text has, in bytes. */
const hmacBytes = 32

type PlaygroundContext = Pick<Context, 'sql' | 'ids' | 'allowances'>

/**
 * Returns the public ID of the key with which the playground calls models. Creates the key at its first use; `firstUse` is
 * then recorded in the audit log. Throws `playground_revoked` after the key was revoked: only `createPlaygroundKey`
 * replaces it. Throws `validation_failed` if the account has its maximum of keys.
 */
export async function openPlaygroundKey(
  context: PlaygroundContext,
  firstUse: Omit<Action, 'name' | 'target'>,
): Promise<string> {
  const known = await findPlaygroundKey(context.sql, firstUse.accountId)
  const { publicId, isRevoked } = known ?? (await createAtFirstUse(context, firstUse))
  if (isRevoked) throw new Problem('playground_revoked')
  return publicId
}

/** Creates the key, unless a concurrent first use has created it. */
async function createAtFirstUse(
  context: PlaygroundContext,
  firstUse: Omit<Action, 'name' | 'target'>,
): Promise<PlaygroundKey> {
  const { accountId } = firstUse
  const maxKeys = await maxKeysOf(context, accountId)
  return inLockedAccount(context, accountId, async transaction => {
    const known = await findPlaygroundKey(transaction, accountId)
    if (known) return known
    const audit = { sql: transaction, ids: context.ids }
    const mark = await beginAction(audit, { ...firstUse, name: 'createPlaygroundKey' })
    const created = await insertKey(context, { transaction, accountId, maxKeys })
    await endAction(audit, mark, { type: 'ApiKey', id: created.id })
    return created
  })
}

/**
 * Creates the key of the playground after it was revoked, or before its first use. Throws `conflict` if there is one, and
 * `validation_failed` if the account has its maximum of keys.
 */
export async function createPlaygroundKey(
  context: PlaygroundContext,
  { accountId }: { accountId: string },
): Promise<KeyRecord> {
  const maxKeys = await maxKeysOf(context, accountId)
  const { id } = await inLockedAccount(context, accountId, async transaction => {
    const known = await findPlaygroundKey(transaction, accountId)
    if (known && !known.isRevoked) throw new Problem('conflict', { message: alreadyOpen })
    return insertKey(context, { transaction, accountId, maxKeys })
  })
  return findKey(context, { accountId, keyId: id })
}

const alreadyOpen = 'The account has a key of the playground. If it is disabled, enable it.'

interface PlaygroundKey {
  id: string
  publicId: string
  isRevoked: boolean
}

/** Finds the key that is not revoked, or else the key that was revoked last. */
async function findPlaygroundKey(
  sql: Context['sql'] | SqlTransaction,
  accountId: string,
): Promise<PlaygroundKey | undefined> {
  const [key] = await sql<PlaygroundKey[]>`
    select id, public_id as "publicId", revoked_at is not null as "isRevoked" from api_keys
    where account_id = ${accountId} and is_playground order by revoked_at desc nulls first limit 1`
  return key
}

/**
 * Returns how many keys the account may have. Read before the transaction: transactions that wait for the account could
 * otherwise occupy all connections while the first one waits for another connection.
 */
async function maxKeysOf({ allowances }: PlaygroundContext, accountId: string): Promise<number> {
  return allowanceOf(allowances, await standingOf(allowances, accountId), 'keys')
}

/** Runs a transaction that locks the account, so that concurrent ones cannot both create a key. */
function inLockedAccount<Result>(
  { sql }: PlaygroundContext,
  accountId: string,
  work: (transaction: SqlTransaction) => Promise<Result>,
) {
  return sql.begin(async transaction => {
    await transaction`select 1 from accounts where id = ${accountId} for no key update`
    return work(transaction)
  })
}

/**
 * Inserts the key and its budget. It belongs to the account, not to a member, so it outlives members. Its text is
 * discarded, and its HMAC is random: no request can present the key.
 */
async function insertKey(
  { ids }: PlaygroundContext,
  { transaction, accountId, maxKeys }: { transaction: SqlTransaction; accountId: string; maxKeys: number },
): Promise<PlaygroundKey> {
  const [row] = await transaction<{ keys: number }[]>`
    select count(*)::int as keys from api_keys where account_id = ${accountId} and revoked_at is null`
  if ((row?.keys ?? 0) >= maxKeys) throw tooManyKeys(maxKeys)
  const { text, publicId } = mintKeyText(ids, false)
  const id = ids.uuid()
  await transaction`
    insert into api_keys (account_id, id, public_id, name, key_hmac, key_prefix, is_playground, created_at)
    values (${accountId}, ${id}, ${publicId}, ${initialName}, ${randomBytes(hmacBytes)}, ${maskKeyText(text)}, true,
      date_trunc('milliseconds', now()))`
  await transaction`
    insert into key_budgets (account_id, key_id, reset_interval) values (${accountId}, ${id}, 'none')`
  return { id, publicId, isRevoked: false }
}
