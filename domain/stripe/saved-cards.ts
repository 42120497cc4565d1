import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import type { Context } from '../context.ts'
import type { StripeContext } from './find-customer.ts'
import { readFault } from './stripe-faults.ts'

/** The saved card of an account. Stripe has its number; only these fields are stored here. */
export interface SavedCard {
  /** Stripe's ID. */
  id: string
  /** The brand, such as `visa`. */
  brand: string
  last4: string
  expiryMonth: number
  expiryYear: number
  savedAt: Date
}

/** Reads the saved card of an account; undefined if it has none. */
export async function readSavedCard(
  { sql }: { sql: Sql | SqlTransaction },
  { accountId }: { accountId: string },
): Promise<SavedCard | undefined> {
  const [card] = await sql<SavedCard[]>`
    select id, brand, last4, expiry_month as "expiryMonth", expiry_year as "expiryYear", saved_at as "savedAt"
    from saved_cards where account_id = ${accountId} and removed_at is null`
  return card
}

/**
 * Removes the saved card of an account and switches automatic top-ups off. A charge in progress ends as it began. A job
 * detaches the card at Stripe. Throws `not_found` if no card is saved.
 */
export async function removeSavedCard(
  { sql }: Pick<Context, 'sql'>,
  { accountId, action }: { accountId: string; action?: ActionMark | undefined },
): Promise<{ id: string }> {
  return sql.begin(async transaction => {
    await transaction`select lock_balance(${accountId})`
    const [removed] = await transaction<{ id: string }[]>`
      select id, remove_saved_card(account_id, id) from saved_cards
      where account_id = ${accountId} and removed_at is null`
    if (!removed) throw new Problem('not_found', { message: 'The account has no saved card.' })
    await transaction`select stop_without_card(${accountId})`
    if (action) await endAction({ sql: transaction }, action)
    return { id: removed.id }
  })
}

/** Detaches a removed card at Stripe, so that it can never be charged again. Throws if Stripe does not respond. */
export async function detachCard(
  { payments, log }: Pick<StripeContext, 'payments' | 'log'>,
  { cardId }: { cardId: string },
): Promise<void> {
  const client = await payments.client()
  try {
    await client.paymentMethods.detach(cardId)
  } catch (error) {
    const fault = readFault(error)
    if (fault.type !== 'StripeInvalidRequestError') throw error
    log.warn({ cardId, error: fault.text }, 'a card was already detached')
  }
}
