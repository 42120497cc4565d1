import { maxSearchLength } from '../../domain/accounts/list-accounts.ts'
import {
  maxAccountNameLength,
  maxEmailLength,
  maxPasswordLength,
  minPasswordLength,
} from '../../domain/accounts/open-account.ts'
import { maxLimit as maxAllowance } from '../../domain/accounts/set-allowance.ts'
import { maxThresholdNanos } from '../../domain/alerts/change-balance-alerts.ts'
import { maxReasonLength } from '../../domain/audit/check-reason.ts'
import { adjustmentKeyShape, maxAdjustmentNanos } from '../../domain/billing/adjust-account.ts'
import { maxNanos, minNanos } from '../../domain/billing/start-top-up.ts'
import { maxBudgetNanos, maxSubjectLength, maxTagKeyLength } from '../../domain/budgets/budget-settings.ts'
import { headerText, maxAddressLength, maxSecretLength } from '../../domain/byok/check-values.ts'
import { maxLabelLength } from '../../domain/byok/credential-settings.ts'
import { maxAllowListEntries, rangeShape } from '../../domain/keys/ip-allow-list.ts'
import { maxLimitNanos, maxNameLength } from '../../domain/keys/key-settings.ts'
import { maxPatterns, patternShape } from '../../domain/keys/model-rules.ts'
import { statusShape } from '../../domain/logs/request-filter.ts'
import { maxSearchLength as maxModelSearchLength } from '../../domain/models/search-models.ts'
import { longestOverlapHours } from '../../domain/overlap-hours.ts'
import { maxFactorNameLength } from '../../domain/second-factors/factor-records.ts'
import { dollars } from '../../platform/money.ts'
import { defaultPageSize, maxFilterValues, maxPageSize } from '../../subgraphs/runtime/connections.ts'
import type { JsonObject } from './json-schema.ts'

const rate: JsonObject = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const patterns: JsonObject = {
  maxItems: maxPatterns,
  items: { type: 'string', pattern: patternShape.source },
}

const keySettings: Readonly<Record<string, JsonObject>> = {
  name: { minLength: 1, maxLength: maxNameLength },
  ipWhitelist: { maxItems: maxAllowListEntries, items: { type: 'string', pattern: rangeShape.source } },
  allowedModels: patterns,
  allowedVendors: patterns,
  rateLimitRpm: rate,
  rateLimitTph: rate,
  rateLimitTpd: rate,
  creditLimit: { minimum: 0, maximum: dollars(maxLimitNanos) },
}

const overlapHours: JsonObject = { minimum: 0, maximum: longestOverlapHours }

const newPassword: JsonObject = { minLength: minPasswordLength, maxLength: maxPasswordLength }

/** A password that is compared with the stored one. */
const givenPassword: JsonObject = { maxLength: maxPasswordLength }

const credentialSettings: Readonly<Record<string, JsonObject>> = {
  label: { minLength: 1, maxLength: maxLabelLength },
  apiKey: { minLength: 1, maxLength: maxSecretLength, pattern: headerText.source },
  // http:// is accepted only for this machine, with ALLOW_LOOPBACK. The scheme can be in upper case.
  baseUrl: { maxLength: maxAddressLength, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' },
}

/** The rule for page sizes: `first`, and `per_page` of numbered pages. */
export const pageSize: JsonObject = { minimum: 1, maximum: maxPageSize, default: defaultPageSize }

/** The rule for filters with several values. */
export const filterList: JsonObject = { maxItems: maxFilterValues }

/** An operator's reason. */
const reason: JsonObject = { minLength: 1, maxLength: maxReasonLength }

/** A change of credits by an operator. */
const adjustment: Readonly<Record<string, JsonObject>> = {
  amount: { exclusiveMinimum: 0, maximum: dollars(maxAdjustmentNanos) },
  reason,
  idempotencyKey: { pattern: adjustmentKeyShape.source },
}

const budgetLimit: JsonObject = { minimum: 0, maximum: dollars(maxBudgetNanos) }

/**
 * Rules for fields and arguments that the graph cannot express, by type and name. `domain` enforces them. Tests send
 * values that break each rule.
 */
const rules: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  CreateApiKeyInput: keySettings,
  UpdateApiKeyInput: keySettings,
  UpdateUserInput: { name: { minLength: 1, maxLength: maxAccountNameLength } },
  UpdateAccountInput: { name: { minLength: 1, maxLength: maxAccountNameLength } },
  UpdateSecondFactorInput: { name: { minLength: 1, maxLength: maxFactorNameLength } },
  SignUpInput: {
    email: { minLength: 1, maxLength: maxEmailLength },
    password: newPassword,
    name: { maxLength: maxAccountNameLength },
  },
  LogInInput: { email: { maxLength: maxEmailLength }, password: givenPassword },
  RequestPasswordResetInput: { email: { maxLength: maxEmailLength } },
  ChangePasswordInput: { currentPassword: givenPassword, newPassword },
  ResetPasswordInput: { newPassword },
  CreateByokCredentialInput: credentialSettings,
  UpdateByokCredentialInput: credentialSettings,
  BudgetTagInput: {
    key: { minLength: 1, maxLength: maxTagKeyLength },
    value: { maxLength: maxSubjectLength },
  },
  CreateBudgetInput: { limit: budgetLimit, endUser: { minLength: 1, maxLength: maxSubjectLength } },
  UpdateBudgetInput: { limit: budgetLimit },
  CreateBalanceAlertInput: { threshold: { minimum: 0, maximum: dollars(maxThresholdNanos) } },
  StartTopUpInput: { amount: { minimum: dollars(minNanos), maximum: dollars(maxNanos) } },
  RotateCallbackSecretInput: { overlapHours },
  RollApiKeyInput: { overlapHours },
  ModelFilterInput: { search: { maxLength: maxModelSearchLength } },
  RequestFilterInput: { statuses: { items: { type: 'string', pattern: statusShape.source } } },
  CreditAccountInput: adjustment,
  DebitAccountInput: adjustment,
  SetAllowanceInput: { limit: { minimum: 0, maximum: maxAllowance } },
  ViewAccountInput: { reason },
  SuspendAccountInput: { reason },
  CloseAccountInput: { reason },
  ReopenAccountInput: { reason },
  ResetSecondFactorsInput: { reason },
  Query: { first: pageSize, search: { maxLength: maxSearchLength } },
}

/** Returns the rules of a field of an input type or of an argument, as parts of its schema. */
export function rulesOf(type: string, field: string): JsonObject {
  return rules[type]?.[field] ?? {}
}
