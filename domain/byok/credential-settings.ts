/** What a person may set on a credential, as it came. What is left out keeps its value. */
export interface CredentialSettings {
  label?: string | undefined
  /** Null takes it away; `***` keeps it. */
  apiKey?: string | null | undefined
  /** Null is the vendor's own address. */
  baseUrl?: string | null | undefined
  /** Replaces the whole configuration; each `***` in it keeps the secret that was there. */
  config?: unknown
  alwaysUse?: boolean | undefined
  disabled?: boolean | undefined
  priority?: number | undefined
}
