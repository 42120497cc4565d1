import { RefreshTokenEntity } from '../../../schema/entities/refresh-tokens.ts'
import type { ManagementContext } from '../../management-context.ts'

/** Ends a log-in: every token of the family is refused from now on. */
export async function endLogIn(
  { em, clock }: Pick<ManagementContext, 'em' | 'clock'>,
  { familyId }: { familyId: string },
): Promise<void> {
  await em.transactional(async em => {
    await lockFamily(em, familyId)
    const standing = { familyId, revokedAt: null }
    await em.nativeUpdate(RefreshTokenEntity, standing, { revokedAt: new Date(clock.now()) })
  })
}

/** Makes whoever changes the tokens of a family wait for each other, so that none is issued beside its end. */
export async function lockFamily(em: ManagementContext['em'], familyId: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [familyId])
}
