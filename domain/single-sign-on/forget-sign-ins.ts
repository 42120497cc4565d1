import type { Context } from '../context.ts'

/**
 * Deletes sign-ins that have expired, log-outs that no token and no sign-in needs any more, and the records of sessions
 * that no longer exist. Resolves to their number.
 */
export async function forgetSignIns({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const signIns = await sql`delete from sign_ins where expires_at < now() - interval '1 minute'`
  const logouts = await sql`delete from issuer_logouts where received_at < now() - interval '1 hour'`
  const sessions = await sql`
    delete from identity_sessions s
    where not exists (select from refresh_tokens t where t.family_id = s.family_id)`
  return signIns.count + logouts.count + sessions.count
}
