import { defineEntity, type InferEntity, type Opt, p } from '@mikro-orm/postgresql'

export const resetIntervals = ['none', 'daily', 'weekly', 'monthly'] as const

/** How often a spend cap begins anew (UTC; weeks on Monday). */
export type ResetInterval = (typeof resetIntervals)[number]

/** The spend cap of a key and what it has spent. The ledger writes the spending. */
export const KeyBudgetEntity = defineEntity({
  name: 'KeyBudget',
  tableName: 'key_budgets',
  properties: {
    accountId: p.uuid().primary(),
    keyId: p.uuid().primary(),
    limitNanos: p.bigint().nullable(),
    resetInterval: p.text().$type<ResetInterval>(),
    periodStart: p.datetime(),
    spentNanos: p.bigint(),
    totalSpentNanos: p.bigint(),
    heldNanos: p.bigint(),
    /** Start of the period that now lies in: later than `periodStart` once the stored one has ended. */
    currentStart: p
      .formula<Opt<Date>>(columns => `window_start(${columns.resetInterval}, ${columns.periodStart}, now())`)
      .type('datetime'),
  },
})

export type KeyBudgetRow = InferEntity<typeof KeyBudgetEntity>
