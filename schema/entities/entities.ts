import { AccountEntity, RefreshTokenEntity, SigningKeyEntity, UserEntity } from './accounts.ts'
import { ProviderCredentialEntity } from './byok.ts'
import { ApiKeyEntity, KeyBudgetEntity } from './keys.ts'

/** Every table that management records are kept in. */
export const entities = [
  AccountEntity,
  ApiKeyEntity,
  KeyBudgetEntity,
  ProviderCredentialEntity,
  RefreshTokenEntity,
  SigningKeyEntity,
  UserEntity,
]
