/**
 * Why a body is not taken. The name is the one that its error has in the catalogue, which this floor does not
 * know.
 */
export class BodyRefused extends Error {
  readonly errorName:
    | 'body_too_large'
    | 'unsupported_media_type'
    | 'request_timeout'
    | 'invalid_request'
    | 'invalid_json'

  constructor(errorName: BodyRefused['errorName'], message?: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BodyRefused'
    this.errorName = errorName
  }
}
