import { SigningKeyEntity } from './accounts.ts'
import { ProviderCredentialEntity } from './byok.ts'
import { ApiKeyEntity, KeyBudgetEntity } from './keys.ts'

/** All tables that MikroORM maps. */
export const entities = [ApiKeyEntity, KeyBudgetEntity, ProviderCredentialEntity, SigningKeyEntity]
