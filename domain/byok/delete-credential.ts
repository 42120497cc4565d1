import { isUuid } from '../../platform/is-uuid.ts'
import { ProviderCredentialEntity } from '../../schema/entities/provider-credentials.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../management-context.ts'
import { changeCredentials } from './change-credentials.ts'

/** Removes a credential: the next inference call skips it (contract: BYOK). Throws `credential_not_found`. */
export async function deleteCredential(
  context: ManagementContext,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  if (!isUuid(id)) throw new Problem('credential_not_found')
  await changeCredentials(context, { accountId }, async em => {
    const deleted = await em.nativeDelete(ProviderCredentialEntity, { accountId, id })
    if (deleted === 0) throw new Problem('credential_not_found')
  })
}
