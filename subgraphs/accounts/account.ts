import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { AccountRow } from '../../schema/entities/accounts.ts'
import { DateTime } from '../runtime/types/date-time.ts'

@ObjectType({ description: 'The paying customer: keys, balance, tasks and logs belong to it.' })
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID)
  id!: string

  @Field(() => String)
  name!: string

  @Field(() => DateTime)
  createdAt!: Date
}

export function presentAccount({ id, name, createdAt }: AccountRow): Account {
  return { id, name, createdAt }
}
