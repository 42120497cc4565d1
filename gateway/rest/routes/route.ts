/** What a numbered page shows beside its items. */
export type PageField = 'total' | 'page' | 'per_page' | 'total_pages'

/**
 * One row of the REST face: an address, the GraphQL document that it stands for, and how its result is
 * presented.
 *
 * One rule translates names, so a row states none: every field of the document is answered under its
 * snake_case name (an explicit alias wins); `$input` is the JSON body, its fields read by their snake_case
 * names, with the path's parameters among them; any other variable is the path's or query's parameter of its
 * snake_case name, repeated where it is a list. Enumerations and money are presented as the contract has them
 * (`present-answer.ts`).
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As `/api-keys/{id}`, below `/api/v1`. */
  path: string
  /** One operation. It is checked against the supergraph by a test. */
  document: string
  /**
   * Checked before the body is read: `session` refuses API keys, `manager` ordinary ones, `none` needs no
   * credential; by default any credential is accepted. The resolvers check again.
   */
  credential?: 'session' | 'manager' | 'none'
  /** The status of success: 200 unless stated. 204 answers without a body. */
  status?: 200 | 201 | 204
  /** Where in the result the answer is, e.g. `['me', 'api_keys']`; the only root field unless stated. */
  answer?: readonly string[]
  /**
   * Fields of the body that cannot be set but may stand there, so that a record is taken back as it was read.
   */
  ignores?: readonly string[]
  /**
   * Makes numbered pages of a connection: the document takes `$first` and `$after`, and selects `data: nodes`
   * and `totalCount`. Says what a page shows beside its items, in this order.
   */
  page?: readonly PageField[]
  /**
   * The whole list is also served as a file: as `/logs/requests.ndjson` and `.csv`. The document takes `$first` and
   * `$after`, and selects `data: nodes` and `pageInfo { hasNextPage endCursor }`.
   */
  isExported?: boolean
  /** The fields of the answer by their paths in it, where it is put together from several objects. */
  pick?: readonly string[]
  /** The name, in the OpenAPI document, of an answer that is put together from several objects. */
  record?: string
  /** Query parameters whose wrong values are told of the whole list, not of the value's place in it. */
  wholeLists?: readonly string[]
  /** Headers that are fields of the body too: the header's name in lower case, and the field that it sets. */
  headers?: Readonly<Record<string, string>>
  /** Fields that are left out where they are null. */
  omitNulls?: readonly string[]
}
