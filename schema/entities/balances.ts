import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** The money of an account. Only the ledger changes it after it was opened at zero. */
export const BalanceEntity = defineEntity({
  name: 'Balance',
  tableName: 'balances',
  properties: {
    accountId: p.uuid().primary(),
    creditsNanos: p.bigint(),
    heldNanos: p.bigint(),
  },
})

export type BalanceRow = InferEntity<typeof BalanceEntity>
