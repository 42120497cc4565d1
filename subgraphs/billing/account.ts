import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The account of subgraph `accounts`: what it owns is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID)
  id!: string
}
