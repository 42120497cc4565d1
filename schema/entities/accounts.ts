import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** The paying customer. Keys, credentials, balance, tasks and logs belong to it. */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    rateRequests: p.integer().nullable(),
    /** Grows with every change of the account's own credentials; zero where there never was one. */
    byokRevision: p.bigint().default(0),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

export type AccountRow = InferEntity<typeof AccountEntity>
