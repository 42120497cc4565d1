import { createHmac } from 'node:crypto'
import { dayMs } from '../../platform/clock.ts'
import { networkOf } from '../../platform/http/addresses.ts'
import type { Context } from '../context.ts'
import { peppersOf } from '../keys/key-text.ts'

/** Maximum number of networks that are remembered for a user, and for how many days. The latest ones are kept. */
const maxNetworks = 20
const daysKnown = 90

/** Remembers that a user logged in from an IP address. Stores the HMAC of the address's network. */
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
 * Whether the owner of the e-mail address has logged in from this network within ninety days. False if no user has
 * confirmed the address: otherwise strangers could make their networks known by signing up with it.
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
