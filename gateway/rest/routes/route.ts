/** A field of a numbered page beside its items. */
export type PageField = 'total' | 'page' | 'per_page' | 'total_pages'

/**
 * One route of the REST API: a path, its GraphQL document, and the presentation of the result.
 *
 * Names are translated by rule. Every field of the document is returned under its snake_case name, or under its alias if
 * it has one. `$input` is the JSON body, with snake_case names of fields, and includes the path's parameters. Every other
 * variable is the parameter of the path or query with its snake_case name. Parameters of lists can be repeated.
 * `present-answer.ts` presents enumerations and money.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path below `/api/v1`, for example `/api-keys/{id}`. */
  path: string
  /** A document with one operation. A test checks it against the supergraph. */
  document: string
  /**
   * The required caller, checked before the body is read. `session` refuses API keys, `keys` and `members` refuse API keys
   * without the scope of that name, `manager` refuses ordinary API keys, `operator` accepts operators only, and `none`
   * needs no token. By default, every caller of an account is accepted. The resolvers check again.
   */
  caller?: 'session' | 'keys' | 'members' | 'manager' | 'operator' | 'none'
  /** The HTTP status of success. Defaults to 200. 204 has no body. */
  status?: 200 | 201 | 204
  /** The path of the response in the result, for example `['me', 'api_keys']`. Defaults to the only root field. */
  answer?: readonly string[]
  /** Fields of the body that are ignored, so that clients can send a record back unchanged. */
  ignores?: readonly string[]
  /**
   * The fields of a numbered page beside its items, in this order. The document has `$first` and `$after`, and selects
   * `data: nodes` and `totalCount`.
   */
  page?: readonly PageField[]
  /**
   * Whether the whole list is also served as a file: `/logs/requests.ndjson` and `.csv`. The document has `$first` and
   * `$after`, and selects `data: nodes` and `pageInfo { hasNextPage endCursor }`.
   */
  isExported?: boolean
  /** The paths of the response's fields, if the response combines several objects. */
  pick?: readonly string[]
  /** The name in the OpenAPI document of a response that combines several objects. */
  record?: string
  /** Query parameters whose errors name the whole list instead of the invalid item. */
  wholeLists?: readonly string[]
  /** Headers that set fields of the body: header name in lower case to field name. */
  headers?: Readonly<Record<string, string>>
  /** The route's effect on a session, if clients can keep the session in a cookie (`session-cookie.ts`). */
  session?: 'begins' | 'continues' | 'ends'
  /** Fields that are omitted if they are null. */
  omitNulls?: readonly string[]
}
