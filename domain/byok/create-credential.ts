import { type ByokProvider, ProviderCredentialEntity } from '../../schema/entities/byok.ts'
import { Problem } from '../../schema/errors.ts'
import { allowanceOf } from '../allowances/allowances.ts'
import { standingOf } from '../allowances/standing.ts'
import type { ManagementContext } from '../context.ts'
import { changeCredentials } from './change-credentials.ts'
import { type CredentialRecord, findCredential } from './credential-records.ts'
import { type CredentialSettings, checkSettings, clampPriority } from './credential-settings.ts'
import { mergeCredential } from './merge-credential.ts'
import { sealApiKey, sealConfig } from './seal-credential.ts'
import { readVendorCredential } from './vendor-credential.ts'

/**
 * Maximum number of credentials of an account, whatever its allowance. It limits the length of the list that shows all
 * of them, and the cost of reading it (`gateway/graph/operation-rules.ts`).
 */
export const maxCredentials = 500

/**
 * Creates a credential of an account. Throws `validation_failed`, and `conflict` if the account has as many credentials
 * for the vendor as its allowance permits.
 */
export async function createCredential(
  context: ManagementContext,
  args: { accountId: string; provider: ByokProvider; settings: CredentialSettings & { label: string } },
): Promise<CredentialRecord> {
  const { accountId, provider, settings } = args
  checkSettings(settings, context.config)
  const parts = mergeCredential(settings)
  readVendorCredential(provider, parts, context.config)

  const row = { accountId, id: context.ids.uuid() }
  await changeCredentials(context, { accountId }, async em => {
    await requireFewer(context, em, { accountId, provider })
    const now = new Date(context.clock.now())
    await em.insert(ProviderCredentialEntity, {
      ...row,
      provider,
      label: settings.label,
      ...sealApiKey(context, row, parts.apiKey),
      ...sealConfig(context, row, parts.config),
      baseUrl: parts.baseUrl,
      alwaysUse: settings.alwaysUse ?? false,
      disabled: settings.disabled ?? false,
      priority: clampPriority(settings.priority ?? 0),
      createdAt: now,
      updatedAt: now,
    })
  })
  return findCredential(context, row)
}

/** The account is locked by `changeCredentials`, so that two credentials created at once count each other. */
async function requireFewer(
  { allowances }: Pick<ManagementContext, 'allowances'>,
  em: ManagementContext['em'],
  { accountId, provider }: { accountId: string; provider: ByokProvider },
): Promise<void> {
  const limit = allowanceOf(allowances, await standingOf(allowances, accountId), 'credentials_per_vendor')
  const ofVendor = await em.count(ProviderCredentialEntity, { accountId, provider })
  const ofAll = await em.count(ProviderCredentialEntity, { accountId })
  if (ofVendor < limit && ofAll < maxCredentials) return
  const max = ofVendor < limit ? `${maxCredentials} credentials` : `${limit} credentials for ${provider}`
  throw new Problem('conflict', {
    message: `The account can have at most ${max}. Delete an unused one first.`,
  })
}
