import type { z } from 'zod'
import { Refusal } from '../server/exchange.ts'
import type { JsonRecord } from '../server/json.ts'
import { readShape } from '../server/shape.ts'

/** An error in Stripe's format. `fields` are further fields of it, such as `code`. */
export function refuse(status: number, message: string, fields: JsonRecord = {}): Refusal {
  return new Refusal({ status, body: { error: { type: 'invalid_request_error', message, ...fields } } })
}

export function refuseParam(param: string, message: string, code?: string): Refusal {
  return refuse(400, message, { param, ...(code !== undefined && { code }) })
}

/** An object that does not exist. */
export function missing(type: string, id: string): Refusal {
  return refuse(404, `No such ${type}: '${id}'`, { code: 'resource_missing', param: 'id' })
}

/** A customer that does not exist, in a parameter of an operation. */
export function missingCustomer(id: string): Refusal {
  return refuseParam('customer', `No such customer: '${id}'`, 'resource_missing')
}

/** Parses the parameters of an operation. Unknown ones are refused, as at Stripe. */
export function readParams<Shape extends z.ZodType>(shape: Shape, form: JsonRecord): z.output<Shape> {
  return readShape(shape, form, ({ path, message }) => refuseParam(path.join('.'), message))
}
