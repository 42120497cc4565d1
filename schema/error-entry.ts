/** The `extensions.code` of GraphQL errors, by HTTP status. */
const graphqlCodes: Record<number, string> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
}

/** One error of the catalogue. */
export interface CatalogueEntry {
  readonly status: number
  readonly type: string
  readonly graphqlCode: string
  readonly text: string
}

/** Declares an error. Its status determines the code in the graph. */
export function entry(status: number, type: string, text: string): CatalogueEntry {
  return { status, type, text, graphqlCode: graphqlCodes[status] ?? 'INTERNAL_SERVER_ERROR' }
}
