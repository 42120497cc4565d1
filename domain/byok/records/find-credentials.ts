import { isUuid } from '../../../platform/is-uuid.ts'
import { ProviderCredentialEntity } from '../../../schema/entities/provider-credentials.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ManagementContext } from '../../management-context.ts'
import { type CredentialRecord, credentialRecordOf } from './credential-record.ts'

type Records = Pick<ManagementContext, 'em'>

/** Finds credentials of an account by their ids, in any order. Unknown ones are left out. */
export async function findCredentials(
  { em }: Records,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<CredentialRecord[]> {
  const known = ids.filter(isUuid)
  if (known.length === 0) return []
  const rows = await em.find(ProviderCredentialEntity, { accountId, id: { $in: known } })
  return rows.map(credentialRecordOf)
}

/** Finds one credential of an account. Throws `credential_not_found`, also for one of another account. */
export async function findCredential(
  context: Records,
  { accountId, id }: { accountId: string; id: string },
): Promise<CredentialRecord> {
  const [credential] = await findCredentials(context, { accountId, ids: [id] })
  if (credential) return credential
  throw new Problem('credential_not_found')
}
