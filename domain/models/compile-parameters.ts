import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import type { MediaEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'

/** Valid parameters, including defaults. */
export type CheckedParameters = Record<string, unknown>

/**
 * Compiles the check of a media model's parameters, once per catalogue revision. `model` and `callback_url` are not
 * parameters: the route removes them first.
 *
 * The check does not change its argument and treats null as omitted. It throws `missing_parameter`,
 * `unsupported_parameter` or `invalid_request` with the parameter's name.
 */
export function compileParameters(
  { validator }: { validator: Ajv },
  { parameters: schema }: Pick<MediaEntry, 'parameters'>,
): (given: Readonly<Record<string, unknown>>) => CheckedParameters {
  const validate = validator.compile<CheckedParameters>(schema)
  return given => {
    const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
    if (validate(parameters)) return parameters
    throw problemOf(validate.errors ?? [])
  }
}

/**
 * Returns the problem for the last error. After the alternatives of an `anyOf`, that is the error of the `anyOf`
 * itself.
 */
function problemOf(errors: ErrorObject[]): Problem {
  const error = errors.at(-1)
  const param = error && nameOf(error)
  switch (error?.keyword) {
    case 'required':
      return new Problem('missing_parameter', { param, message: `${param} is required.` })
    case 'additionalProperties':
      return new Problem('unsupported_parameter', { param, message: `The model does not take ${param}.` })
    case 'anyOf':
      return new Problem('missing_parameter', alternatives(errors))
    default:
      return new Problem('invalid_request', { param, message: `${param} ${explainError(error)}.` })
  }
}

function explainError(error: ErrorObject | undefined): string {
  if (error?.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  const format = error?.keyword === 'format' ? formatDescriptions[error.params.format] : undefined
  return format ? `must be ${format}` : (error?.message ?? 'is not valid')
}

/** Returns the name of the invalid parameter as clients write it: `image_urls[2]`. */
function nameOf({ instancePath, params }: ErrorObject): string {
  const path = instancePath.slice(1).replace(/\/(\d+)/g, '[$1]')
  return params.missingProperty ?? params.additionalProperty ?? path
}

/** Describes an `anyOf` over the whole request. The errors before the last one belong to its alternatives. */
function alternatives(errors: ErrorObject[]): { param: string | undefined; message: string } {
  const names = errors.slice(0, -1).map(nameOf)
  return { param: names[0], message: `At least one of ${names.join(', ')} is required.` }
}

/**
 * Creates the validator of model parameters: strict JSON Schema that fills in defaults, with two custom formats.
 * `https-url` is an HTTPS address; `image-source` is an HTTPS address or an inline base64 image. With
 * `allowLoopback`, addresses of this machine may use plain HTTP, because `npm start` serves media there. The
 * validator caches compiled schemas, so each revision of the catalogue needs a new one.
 */
export function openValidator({ allowLoopback = false } = {}): Ajv {
  const validator = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, useDefaults: true })
  addFormats.default(validator)
  const isAddress = (text: string) => isHttps(text) || (allowLoopback && isLoopback(text))
  validator.addFormat('https-url', isAddress)
  validator.addFormat('image-source', text => inlineImage.test(text) || isAddress(text))
  return validator
}

/** The two formats as error messages describe them. */
const formatDescriptions: Readonly<Record<string, string>> = {
  'https-url': 'a public HTTPS address',
  'image-source': 'a public HTTPS address, or a base64 data URI of a PNG, JPEG, WebP or GIF image',
}

const inlineImage = /^data:image\/(png|jpe?g|webp|gif)(;[a-z0-9=-]+)*;base64,[a-z0-9+/_-]/i

function isHttps(text: string): boolean {
  return URL.parse(text)?.protocol === 'https:'
}

function isLoopback(text: string): boolean {
  const { protocol, hostname } = URL.parse(text) ?? {}
  return (
    protocol === 'http:' && (hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]')
  )
}
