/** One setting: its environment variable, doc, default and parser. */
export interface Setting<Value> {
  env: string
  doc: string
  default: string
  /** Throws an Error whose message completes "NAME must be …". */
  parse(raw: string): Value
  /** The default is public, so production refuses it. */
  secret?: boolean
}
