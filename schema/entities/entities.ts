import { AccountEntity, RefreshTokenEntity, SigningKeyEntity, UserEntity } from './accounts.ts'
import { ProviderCredentialEntity } from './byok.ts'
import { ApiKeyEntity, KeyBudgetEntity } from './keys.ts'

/** All tables that MikroORM maps. */
export const entities = [
  AccountEntity,
  ApiKeyEntity,
  KeyBudgetEntity,
  ProviderCredentialEntity,
  RefreshTokenEntity,
  SigningKeyEntity,
  UserEntity,
]
