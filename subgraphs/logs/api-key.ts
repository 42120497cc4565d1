import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The API key of subgraph `keys`: what its requests came to is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class ApiKey {
  @Field(() => ID)
  id!: string
}
