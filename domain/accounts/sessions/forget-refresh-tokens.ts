import type { Context } from '../../context.ts'

/** Forgets refresh tokens that ended more than a week ago. Resolves to how many. */
export async function forgetRefreshTokens({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const gone = await sql`delete from refresh_tokens where expires_at < now() - interval '7 days'`
  return gone.count
}
