/** The requests of an account that a budget counts: those with a tag, or of an end user. */
export interface BudgetSubject {
  kind: 'tag' | 'end_user'
  /** The key of the tag; empty for an end user. */
  name: string
  /** The value of the tag, or the end user. */
  value: string
}

/** A budget as requests use it. Only Postgres knows its limit and what is left of it. */
export interface Budget extends BudgetSubject {
  id: string
}
