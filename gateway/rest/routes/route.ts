/**
 * One row of the REST face: an address, the GraphQL document that it stands for, and how its result is
 * presented.
 *
 * One rule translates names, so a row states none: every field of the document is answered under its
 * snake_case name (an explicit alias wins); `$input` is the JSON body, its fields read by their snake_case
 * names; any other variable is the path's or query's parameter of its snake_case name, repeated where it is a
 * list.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As `/api-keys/{id}`, below `/api/v1`. */
  path: string
  /** One operation. It is checked against the supergraph by a test. */
  document: string
  /**
   * Checked before the body is read: `session` refuses API keys, `none` needs no credential; by default any
   * credential is accepted. The resolvers check again.
   */
  credential?: 'session' | 'none'
  /** The status of success: 200 unless stated. 204 answers without a body. */
  status?: 200 | 201 | 204
  /** Where in the result the answer is, e.g. `['me', 'api_keys']`; the only root field unless stated. */
  answer?: readonly string[]
  /**
   * Fields of the body that cannot be set but may stand there, so that a record is taken back as it was read.
   */
  ignores?: readonly string[]
  /** Fields that are left out where they are null. */
  omitNulls?: readonly string[]
}
