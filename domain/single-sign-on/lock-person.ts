import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'

/** A person at an issuer, by subject, by session at the issuer, or both. */
export interface PersonAtIssuer {
  issuer: string
  subject: string | null
  issuerSession: string | null
}

/**
 * Locks a person until the transaction ends, so that a sign-in and a log-out of the same person do not run at the same
 * time.
 */
export async function lockPerson(sql: SqlTransaction, person: PersonAtIssuer): Promise<void> {
  for (const name of locksOf(person)) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}

/** The order is fixed, so that no two transactions wait for each other. */
function locksOf({ issuer, subject, issuerSession }: PersonAtIssuer): string[] {
  return [
    ...(subject === null ? [] : [`subject ${issuer} ${subject}`]),
    ...(issuerSession === null ? [] : [`session ${issuer} ${issuerSession}`]),
  ]
}
