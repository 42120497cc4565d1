import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { Account as AccountRecord } from '../../domain/accounts/accounts.ts'
import { DateTime } from '../runtime/scalars.ts'

@ObjectType({
  description: 'An account: a customer of the platform. It owns API keys, a balance, tasks and logs.',
})
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID, { description: "The account's ID." })
  id!: string

  @Field(() => String, { description: "The account's name." })
  name!: string

  @Field(() => DateTime, { description: 'When the account was created.' })
  createdAt!: Date
}

export function presentAccount({ id, name, createdAt }: AccountRecord): Account {
  return { id, name, createdAt }
}
