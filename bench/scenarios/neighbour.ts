import { type AttackName, attacks } from '../attack/attacks.ts'
import type { Neighbour } from './scenario.ts'

/** One account with five requests a second beside another account that tries to take more than its share. */
export const neighbour: Neighbour[] = (Object.keys(attacks) as AttackName[]).map(attack => ({
  name: `neighbour-${attack}`,
  says: attacks[attack].says,
  attack,
  perSecond: 5,
  atMostP50: 3,
  atMostP99: 5,
}))
