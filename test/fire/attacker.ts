import type { AttackName } from '../../bench/attack/attacks.ts'
import { startAttack } from '../../bench/attack/start-attack.ts'
import { anAccount, anApiKey } from '../harness/an-account.ts'
import type { System } from './start-system.ts'

/** What an account that never paid tries beside the load, one attack each round. */
const attacks: readonly AttackName[] = ['poor-prompts', 'many-keys', 'unknown-model', 'tokenizer-bombs']
const attackerKeys = 20

/** Starts the attack of a round on the first edge. */
export async function attackBeside({ context, edges }: System, round: number) {
  const { accountId } = await anAccount(context, { creditNanos: 0n })
  const keys: string[] = []
  for (let at = 0; at < attackerKeys; at++) keys.push((await anApiKey(context, { accountId })).text)
  return startAttack({
    name: attacks[round % attacks.length]!,
    port: Number(new URL(edges[0].url).port),
    keys,
    model: 'vendor_a/atlas',
    imageModel: 'vendor_a/mural',
    speechModel: 'vendor_a/orator',
    imagePrompt: 'A paper boat in the rain.',
  })
}
