import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** The paying customer. Keys, credentials, balance, tasks and logs belong to it. */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    rateRequests: p.integer().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

export type AccountRow = InferEntity<typeof AccountEntity>
