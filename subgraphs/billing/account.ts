import { extendedEntity } from '../runtime/entity-reference.ts'

/** The account of the subgraph `accounts`. This subgraph adds its balance, automatic top-up, card and billing details. */
export const Account = extendedEntity('Account')
