import type { MediaEntry } from '../../../schema/catalog/entry.ts'
import type { FieldRule } from '../../../schema/catalog/generation.ts'
import type { Queue } from '../../../schema/catalog/queue.ts'
import type { Report } from './report.ts'

/** Checks that what a model declares of the calls to its vendor can be done, and agrees with its parameters. */
export function checkMediaCall(entry: MediaEntry, report: Report): void {
  const { adapter, request, queue } = entry.upstream
  request?.fields.forEach((rule, index) => {
    const fault = faultOfRule(rule, entry)
    if (fault) report(['upstream', 'request', 'fields', index], fault)
  })
  if (adapter === 'queue' && !queue) report(['upstream'], 'queue is missing')
  if (adapter !== 'queue' && queue) report(['upstream', 'queue'], `${adapter} has a queue of its own`)
  if (queue) checkQueue(queue, report)
  if (entry.generation.cancellable && !queue?.cancel) {
    report(['generation', 'cancellable'], 'there is no way to cancel')
  }
}

function faultOfRule({ from, to, value, values }: FieldRule, { parameters }: MediaEntry): string | undefined {
  if ((from === undefined) === (value === undefined)) return 'needs either from or value'
  if (value !== undefined && to === undefined) return 'needs a place for its value: to'
  const names = [from ?? []].flat()
  const unknown = names.find(name => !(name in parameters.properties))
  if (unknown !== undefined) return `the model has no parameter ${unknown}`
  if (names.length > 1 && !values) return 'needs values for the parameters together'
  const missing = values && valuesOf(names, parameters)?.find(known => !Object.hasOwn(values, known))
  return missing === undefined ? undefined : `values has nothing for ${missing}`
}

/** More values of several parameters together are not gone through. */
const maxCombinations = 10_000

/** Every value of parameters with a list of values, joined by spaces; undefined where one has no list, or too many. */
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

/** What each path of a queue may name. */
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
    if (unknown !== undefined) report(['upstream', 'queue', ...path], `knows no {${unknown}}`)
    if (/[{}]/.test(template.replaceAll(/\{\w*\}/g, ''))) {
      report(['upstream', 'queue', ...path], 'has a brace that stands for nothing')
    }
  }
  const needsReference = queue.result?.path.includes('{reference}') ?? false
  if (needsReference && !queue.result?.reference) {
    report(['upstream', 'queue', 'result'], 'needs a place for {reference}: reference')
  }
  if (queue.status.done.length === 0) report(['upstream', 'queue', 'status', 'done'], 'needs a word')
}
