import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

/**
 * Opens the validator of model parameters: strict JSON Schema, defaults filled in, and two formats of our own.
 * `https-url` is an HTTPS address; `image-source` is that, or an inline base64 image. With `allowLoopback` an
 * address of this machine may be plain HTTP, since that is where `npm start` serves media. It remembers what it has
 * compiled: open another with each revision of the catalogue.
 */
export function openValidator({ allowLoopback = false } = {}): Ajv {
  const validator = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, useDefaults: true })
  addFormats.default(validator)
  const isAddress = (text: string) => isHttps(text) || (allowLoopback && isLoopback(text))
  validator.addFormat('https-url', isAddress)
  validator.addFormat('image-source', text => inlineImage.test(text) || isAddress(text))
  return validator
}

/** The two formats in words. */
export const formatWords: Readonly<Record<string, string>> = {
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
