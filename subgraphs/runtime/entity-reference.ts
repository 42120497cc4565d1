import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { type ClassType, Directive, Field, ID, ObjectType } from 'type-graphql'

/**
 * Declares a reference to an entity of another subgraph. `entityReference('ApiKey')` is the type of a field that
 * resolves to `{ id }`. The gateway reads the other fields from the entity's own subgraph. Such a field is nullable,
 * because the entity may be deleted or its subgraph unavailable.
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

/**
 * Declares an entity of another subgraph to which this subgraph adds fields by field resolvers. The declaration has
 * only the key, `id`.
 */
export function extendedEntity(name: string): ClassType<{ id: string }> {
  @ObjectType(name)
  @Directive('@key(fields: "id")')
  class Entity {
    @Field(() => ID)
    id!: string
  }
  return Entity
}
