import { createHmac } from 'node:crypto'
import { dayMs } from '../../platform/clock.ts'
import { networkOf } from '../../platform/http/addresses.ts'
import type { Context } from '../context.ts'
import { peppersOf } from '../keys/key-text.ts'

/** How many networks are remembered of a person, the latest ones, and for how long. */
const maxNetworks = 20
const daysKnown = 90

/** Remembers that a person logged in from an address, as the HMAC of its network. */
export async function rememberNetwork(
  { sql, clock, config }: Pick<Context, 'sql' | 'clock' | 'config'>,
  { userId, address }: { userId: string; address: string },
): Promise<void> {
  const network = hashOf(config.keyPepper, address)
  const now = new Date(clock.now())
  await sql`
    with remembered as (
      insert into known_networks (user_id, network, last_at) values (${userId}, ${network}, ${now})
      on conflict (user_id, network) do update set last_at = excluded.last_at
    )
    delete from known_networks where user_id = ${userId} and network in (
      select network from known_networks where user_id = ${userId} and network <> ${network}
      order by last_at desc offset ${maxNetworks - 1}
    )`
}

/**
 * Whether the owner of that e-mail logged in from there within ninety days. False if no person has confirmed it:
 * otherwise strangers could make their networks known by signing up with it.
 */
export async function isKnownNetwork(
  { sql, clock, config }: Pick<Context, 'sql' | 'clock' | 'config'>,
  { email, address }: { email: string; address: string },
): Promise<boolean> {
  const since = new Date(clock.now() - daysKnown * dayMs)
  const networks = peppersOf(config).map(pepper => hashOf(pepper, address))
  const found = await sql`
    select 1 from users u join known_networks k on k.user_id = u.id
    where lower(u.email) = ${email} and u.email_confirmed_at is not null and k.network in ${sql(networks)} and k.last_at > ${since}`
  return found.length > 0
}

function hashOf(pepper: string, address: string): Buffer {
  return createHmac('sha256', pepper)
    .update(`network ${networkOf(address)}`)
    .digest()
}
