import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { parse } from 'yaml'

/**
 * Reads a file of settings, YAML or JSON. Throws an Error that names the faulty entry and never contains a value of the
 * file, which may be a secret.
 */
export function readSettingsFile<Schema extends TSchema>(path: string, schema: Schema): Static<Schema> {
  const file: unknown = parseFile(path)
  const validate = new Ajv({ strict: false, logger: false }).compile<Static<Schema>>(schema)
  if (!validate(file)) throw new Error(explain(validate.errors?.[0]))
  return file
}

function explain(error: ErrorObject | undefined): string {
  const { additionalProperty: key } = error?.params ?? {}
  const fault = key === undefined ? error?.message : `has the unknown key ${String(key).slice(0, 100)}`
  return `${error?.instancePath.slice(1) || 'the file'} ${fault}`
}

function parseFile(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new Error('it cannot be read')
  }
  try {
    return parse(text, { prettyErrors: false })
  } catch {
    throw new Error('it is not valid YAML')
  }
}
