import { maxEmailLength } from '../../domain/accounts/open-account.ts'
import { leastNanos, mostNanos } from '../../domain/billing/start-top-up.ts'
import { longestOverlapHours } from '../../domain/callbacks/callback-secrets.ts'
import { maxAllowListEntries } from '../../domain/keys/ip-allow-list.ts'
import { maxLimitNanos, maxNameLength } from '../../domain/keys/key-settings.ts'
import { dollars } from '../../platform/money.ts'
import type { JsonObject } from './json-schema.ts'

const rate: JsonObject = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const keySettings: Readonly<Record<string, JsonObject>> = {
  name: { minLength: 1, maxLength: maxNameLength },
  ipWhitelist: { maxItems: maxAllowListEntries },
  rateLimitRpm: rate,
  rateLimitTph: rate,
  rateLimitTpd: rate,
  creditLimit: { minimum: 0, maximum: dollars(maxLimitNanos) },
}

/**
 * The rules of fields that the graph has no words for, by input type and field. The server's checks are in `domain`;
 * tests send values that break each rule.
 */
const rules: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  CreateApiKeyInput: keySettings,
  UpdateApiKeyInput: keySettings,
  SignUpInput: {
    email: { minLength: 1, maxLength: maxEmailLength },
    password: { minLength: 8, maxLength: 200 },
  },
  StartTopUpInput: { amount: { minimum: dollars(leastNanos), maximum: dollars(mostNanos) } },
  RotateCallbackSecretInput: { overlapHours: { minimum: 0, maximum: longestOverlapHours } },
}

/** Returns the rules of a field of an input type, as parts of its schema. */
export function rulesOf(type: string, field: string): JsonObject {
  return rules[type]?.[field] ?? {}
}
