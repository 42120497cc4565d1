import { type ByokProvider, ProviderCredentialEntity } from '../../schema/entities/byok.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { changeCredentials } from './change-credentials.ts'
import { type CredentialRecord, findCredential } from './credential-records.ts'
import { type CredentialSettings, checkSettings, clampPriority } from './credential-settings.ts'
import { mergeCredential } from './merge-credential.ts'
import { sealApiKey, sealConfig } from './seal-credential.ts'
import { readVendorCredential } from './vendor-credential.ts'

/** The most credentials of an account: few enough to list them all at once. */
export const maxCredentials = 500

/**
 * Creates a credential of an account. Throws `validation_failed`, and `conflict` where it has 500 already.
 */
export async function createCredential(
  context: ManagementContext,
  args: { accountId: string; provider: ByokProvider; settings: CredentialSettings & { label: string } },
): Promise<CredentialRecord> {
  const { accountId, provider, settings } = args
  checkSettings(settings, context.config)
  const parts = mergeCredential(settings)
  readVendorCredential(provider, parts, context.config)

  const place = { accountId, id: context.ids.uuid() }
  await changeCredentials(context, { accountId }, async em => {
    if ((await em.count(ProviderCredentialEntity, { accountId })) >= maxCredentials)
      throw new Problem('conflict', { message: `An account has at most ${maxCredentials} credentials.` })
    const now = new Date(context.clock.now())
    await em.insert(ProviderCredentialEntity, {
      ...place,
      provider,
      label: settings.label,
      ...sealApiKey(context, place, parts.apiKey),
      ...sealConfig(context, place, parts.config),
      baseUrl: parts.baseUrl,
      alwaysUse: settings.alwaysUse ?? false,
      disabled: settings.disabled ?? false,
      priority: clampPriority(settings.priority ?? 0),
      createdAt: now,
      updatedAt: now,
    })
  })
  return findCredential(context, place)
}
