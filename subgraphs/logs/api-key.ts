import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { Caller } from '../../domain/callers/caller.ts'

/** The API key of subgraph `keys`: what its requests came to is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class ApiKey {
  @Field(() => ID)
  id!: string
}

/**
 * Sessions and provisioning keys read what every key of their account did, an ordinary key what it did
 * itself.
 */
export function mayReadKey(caller: Caller, keyId: string): boolean {
  return caller.kind !== 'key' || caller.keyId === keyId
}
