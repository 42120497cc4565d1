import { type ByokProvider, ProviderCredentialEntity } from '../../../schema/entities/provider-credentials.ts'
import type { ManagementContext } from '../../management-context.ts'
import { type CredentialRecord, credentialRecordOf } from './credential-record.ts'

/** The credentials of an account, of one vendor where `provider` names it, newest first. */
export async function listCredentials(
  { em }: Pick<ManagementContext, 'em'>,
  { accountId, provider }: { accountId: string; provider?: ByokProvider | undefined },
): Promise<CredentialRecord[]> {
  const rows = await em.find(
    ProviderCredentialEntity,
    { accountId, ...(provider && { provider }) },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  )
  return rows.map(credentialRecordOf)
}
