import type { Sql } from '../platform/postgres/open-postgres.ts'

/**
 * Removes the customers and saved cards of the payment simulator, and switches off the automatic top-ups of these cards.
 * The simulator keeps them in memory: after a restart, it would refuse them.
 */
export async function forgetSimulatedCustomers(sql: Sql): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`delete from stripe_customers`
    await transaction`update saved_cards set removed_at = now() where removed_at is null`
    await transaction`update automatic_top_ups set is_on = false, stop_reason = 'card_removed' where is_on`
  })
}
