import type { VariablesOf } from '../../graph/documents.ts'
import type { Pricing } from '../../prices/documents.ts'
import type { ModelDetail, quoteDocument } from './documents.ts'
import type { messages } from './messages.ts'
import { type Parameter, parametersOf } from './schema.ts'

/** A value on which a price depends. */
export interface QuoteField {
  name: string
  /** The parameter of the graph's input that the field sets. */
  param: string
  /** `items` is the number of items of a list. */
  kind: 'count' | 'text' | 'items' | 'number' | 'boolean'
  /** The text that names the field; without it, the field has the name of the parameter. */
  label?: keyof typeof messages.en & ('images' | 'serviceTier' | (typeof counts)[number])
  options?: readonly string[]
  first: string
}

const counts = ['promptTokens', 'cachedTokens', 'cacheCreationTokens', 'completionTokens'] as const
const firstCounts: Readonly<Record<(typeof counts)[number], string>> = {
  promptTokens: '1000',
  cachedTokens: '0',
  cacheCreationTokens: '0',
  completionTokens: '500',
}

/** Returns the fields on which the price of a model depends. */
export function fieldsOf(
  { modality, parameters }: Pick<ModelDetail, 'modality' | 'parameters'>,
  { cache, rates, surcharges, serviceTiers, pricedParameters }: Pricing,
): QuoteField[] {
  if (modality !== 'CHAT')
    return parametersOf(parameters)
      .filter(({ name }) => pricedParameters.includes(name))
      .map(mediaField)
  const isUsed = {
    promptTokens: true,
    cachedTokens: cache?.read !== null && cache !== null,
    cacheCreationTokens: cache?.write !== null && cache !== null,
    completionTokens: rates.some(({ of, price }) => of === 'output' && Number(price) > 0),
  }
  return [
    ...counts
      .filter(name => isUsed[name])
      .map(name => ({
        name,
        param: name,
        kind: 'count' as const,
        label: name,
        first: firstCounts[name],
      })),
    ...(surcharges.some(({ unit }) => unit.includes('image'))
      ? [{ name: 'images', param: 'images', kind: 'count' as const, label: 'images' as const, first: '0' }]
      : []),
    ...(serviceTiers.length > 0
      ? [
          {
            name: 'serviceTier',
            param: 'serviceTier',
            kind: 'text' as const,
            label: 'serviceTier' as const,
            options: ['', ...serviceTiers.map(({ tier }) => tier)],
            first: '',
          },
        ]
      : []),
  ]
}

function mediaField({ name, type, values, defaultValue, minimum }: Parameter): QuoteField {
  const param = `parameters.${name}`
  const first = defaultValue === undefined ? '' : String(defaultValue)
  if (type === 'boolean')
    return { name, param, kind: 'boolean', options: ['true', 'false'], first: first || 'false' }
  const kind = { array: 'items', integer: 'number', number: 'number' }[type] ?? 'text'
  const options = values?.map(String)
  return {
    name,
    param,
    kind: kind as QuoteField['kind'],
    ...(options && { options }),
    first: first || (options?.[0] ?? (kind === 'text' ? '' : String(minimum ?? 1))),
  }
}

/** Returns the values with which the calculator starts. */
export function firstValues(fields: readonly QuoteField[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, first }) => [name, first]))
}

/** Stands for an item of a list, of which only the number counts. */
const anItem = 'https://example.com/item'

/** Returns the input of a quote, or `undefined` while a value is missing. */
export function quoteInput(
  { id, modality }: Pick<ModelDetail, 'id' | 'modality'>,
  fields: readonly QuoteField[],
  values: Readonly<Record<string, string>>,
): VariablesOf<typeof quoteDocument>['input'] | undefined {
  const given = fields.map(field => [field, (values[field.name] ?? '').trim()] as const)
  if (given.some(([{ name }, value]) => value === '' && name !== 'serviceTier')) return undefined
  const read = Object.fromEntries(
    given.filter(([, value]) => value !== '').map(([field, value]) => [field.name, readValue(field, value)]),
  )
  return modality === 'CHAT' ? { model: id, ...read } : { model: id, parameters: read }
}

function readValue({ kind }: QuoteField, value: string): unknown {
  switch (kind) {
    case 'count':
    case 'number':
      return Number(value)
    case 'items':
      return Array.from({ length: Math.min(100, Number(value)) }, () => anItem)
    case 'boolean':
      return value === 'true'
    default:
      return value
  }
}
