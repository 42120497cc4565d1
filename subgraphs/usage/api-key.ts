import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The API key of the subgraph `keys`. This subgraph adds its usage. */
@ObjectType()
@Directive('@key(fields: "id")')
export class ApiKey {
  @Field(() => ID)
  id!: string
}
