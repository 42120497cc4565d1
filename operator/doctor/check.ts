/** One part of the installation that the doctor checks. */
export interface Check {
  /** The name in the report: `Postgres`. */
  name: string
  /** The action to take if the check itself fails, as one sentence. */
  remedy: string
  /** Examines the part. An error that it throws becomes a finding with `remedy`. */
  run(): Promise<Result>
}

/** Something to change, and how. */
export interface Finding {
  /** The fault, without a full stop at the end. */
  fault: string
  /** The action that removes the fault, as one sentence. */
  remedy: string
}

/** The findings of a check, and what it saw if there is none; or the reason why it examined nothing. */
export type Result = { findings: Finding[]; summary: string } | { skipped: string }

/** A check with its result. */
export interface Report {
  name: string
  result: Result
}

/** Something that may be wrong: whether it is, the fault, and the remedy. */
export type Rule = readonly [isFound: boolean, fault: string, remedy: string]

/** Returns a finding for each rule that applies. */
export function findingsOf(rules: readonly Rule[]): Finding[] {
  return rules.filter(([isFound]) => isFound).map(([, fault, remedy]) => ({ fault, remedy }))
}
