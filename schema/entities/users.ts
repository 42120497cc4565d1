import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql'

/** A person who logs in to an account. E-mails are unique whatever their case. */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    accountId: p.uuid(),
    email: p.text(),
    name: p.text(),
    passwordHash: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

export type UserRow = InferEntity<typeof UserEntity>
