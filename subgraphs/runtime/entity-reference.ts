import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { type ClassType, Directive, Field, ID, ObjectType } from 'type-graphql'

/**
 * Declares that an entity of another subgraph is pointed to: `entityReference('ApiKey')` is the type of a field
 * that answers `{ id }`, and the gateway asks the entity's own subgraph for the rest. Such a field is nullable:
 * what it names may be gone, or that subgraph may be away.
 */
export function entityReference(name: string): ClassType<{ id: string }> {
  @ObjectType(name)
  @Directive('@key(fields: "id", resolvable: false)')
  class Reference {
    @Field(() => ID)
    id!: string
  }
  return Reference
}
