import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { Account as AccountRecord } from '../../domain/accounts/accounts.ts'
import { DateTime } from '../runtime/scalars.ts'

@ObjectType({ description: 'The paying customer: keys, balance, tasks and logs belong to it.' })
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID, { description: 'What names it everywhere.' })
  id!: string

  @Field(() => String, { description: 'What it is called.' })
  name!: string

  @Field(() => DateTime, { description: 'When it was opened.' })
  createdAt!: Date
}

export function presentAccount({ id, name, createdAt }: AccountRecord): Account {
  return { id, name, createdAt }
}
