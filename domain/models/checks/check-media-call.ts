import type { MediaEntry } from '../../../schema/catalog/entry.ts'
import type { FieldRule } from '../../../schema/catalog/generation.ts'
import type { Queue } from '../../../schema/catalog/queue.ts'
import type { Report } from './report.ts'

/** Checks that the declared calls to the vendor are possible and agree with the model's parameters. */
export function checkMediaCall(entry: MediaEntry, report: Report): void {
  const { adapter, request, queue } = entry.upstream
  request?.fields.forEach((rule, index) => {
    const fault = faultOfRule(rule, entry)
    if (fault) report(['upstream', 'request', 'fields', index], fault)
  })
  if (adapter === 'queue' && !queue) report(['upstream'], 'queue is missing')
  if (adapter !== 'queue' && queue) report(['upstream', 'queue'], `${adapter} does not use a queue`)
  if (queue) checkQueue(queue, report)
  if (entry.generation.cancellable && !queue?.cancel) {
    report(['generation', 'cancellable'], 'the adapter cannot cancel')
  }
}

function faultOfRule({ from, to, value, values }: FieldRule, { parameters }: MediaEntry): string | undefined {
  if ((from === undefined) === (value === undefined)) return 'needs either from or value'
  if (value !== undefined && to === undefined) return 'needs `to`, the place for its value'
  const names = [from ?? []].flat()
  const unknown = names.find(name => !(name in parameters.properties))
  if (unknown !== undefined) return `the model has no parameter ${unknown}`
  if (names.length > 1 && !values) return 'needs `values` for combined parameters'
  const missing = values && valuesOf(names, parameters)?.find(known => !Object.hasOwn(values, known))
  return missing === undefined ? undefined : `values has nothing for ${missing}`
}

/** Maximum number of combinations of several parameters that are listed. */
const maxCombinations = 10_000

/**
 * Returns every combination of values of the parameters, joined by spaces. Returns undefined if one has no list of
 * values, or if there are too many combinations.
 */
function valuesOf(names: readonly string[], { properties }: MediaEntry['parameters']): string[] | undefined {
  let joined = ['']
  for (const name of names) {
    const listed = properties[name]?.enum
    if (!Array.isArray(listed)) return undefined
    if (joined.length * listed.length > maxCombinations) return undefined
    joined = joined.flatMap(start => listed.map(value => (start === '' ? `${value}` : `${start} ${value}`)))
  }
  return joined
}

/** Checks that each path of a queue contains only allowed placeholders. */
function checkQueue(queue: Queue, report: Report): void {
  const paths: [path: readonly string[], template: string | undefined, allowed: readonly string[]][] = [
    [['submit', 'path'], queue.submit.path, ['model']],
    [['status', 'path'], queue.status.path, ['model', 'id']],
    [['result', 'path'], queue.result?.path, ['model', 'id', 'reference']],
    [['cancel', 'path'], queue.cancel?.path, ['model', 'id']],
  ]
  for (const [path, template = '', allowed] of paths) {
    const names = [...template.matchAll(/\{(\w*)\}/g)].map(([, name = '']) => name)
    const unknown = names.find(name => !allowed.includes(name))
    if (unknown !== undefined)
      report(['upstream', 'queue', ...path], `contains the unknown placeholder {${unknown}}`)
    if (/[{}]/.test(template.replaceAll(/\{\w*\}/g, ''))) {
      report(['upstream', 'queue', ...path], 'has a brace outside of a placeholder')
    }
  }
  const needsReference = queue.result?.path.includes('{reference}') ?? false
  if (needsReference && !queue.result?.reference) {
    report(['upstream', 'queue', 'result'], 'needs `reference`, the source of {reference}')
  }
  if (queue.status.done.length === 0)
    report(['upstream', 'queue', 'status', 'done'], 'needs at least one status')
}
