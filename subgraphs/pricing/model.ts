import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The model of subgraph `models`: what it costs is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class Model {
  @Field(() => ID)
  id!: string
}
