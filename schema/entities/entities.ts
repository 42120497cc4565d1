import { AccountEntity } from './accounts.ts'
import { ApiKeyEntity } from './api-keys.ts'
import { KeyBudgetEntity } from './key-budgets.ts'
import { ProviderCredentialEntity } from './provider-credentials.ts'
import { RefreshTokenEntity } from './refresh-tokens.ts'
import { SigningKeyEntity } from './signing-keys.ts'
import { UserEntity } from './users.ts'

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
