import type { Json, JsonRecord } from '../../json.ts'

const mostChoices = 1000

/** A number within the bounds of a schema, a multiple where it says so; whole wherever the bounds let it be. */
export function fitNumber(
  schema: JsonRecord,
  { ordinal, isWhole }: { ordinal: number; isWhole: boolean },
): number {
  const { low, high } = readBounds(schema)
  const step = numberOr(schema.multipleOf, 1)
  const stepped = fitStep({ low, high, step, ordinal }, schema)
  if (stepped !== undefined || isWhole || schema.multipleOf !== undefined) return stepped ?? 0
  return low + (high - low) * (((ordinal % mostChoices) + 1) / (mostChoices + 1))
}

/** Missing bounds leave room for many choices beside the one that is there. */
function readBounds(schema: JsonRecord): { low: number; high: number } {
  const low = Math.max(numberOr(schema.minimum, -Infinity), numberOr(schema.exclusiveMinimum, -Infinity))
  const high = Math.min(numberOr(schema.maximum, Infinity), numberOr(schema.exclusiveMaximum, Infinity))
  const width = mostChoices * numberOr(schema.multipleOf, 1)
  if (low === -Infinity) return { low: high < width ? high - width : 1, high }
  return { low, high }
}

/** A multiple of the step within the bounds; undefined where there is none. */
function fitStep(
  { low, high, step, ordinal }: { low: number; high: number; step: number; ordinal: number },
  schema: JsonRecord,
): number | undefined {
  let first = Math.ceil(low / step)
  if (first * step <= numberOr(schema.exclusiveMinimum, -Infinity)) first++
  let last = Math.min(Math.floor(high / step), first + mostChoices - 1)
  if (last * step >= numberOr(schema.exclusiveMaximum, Infinity)) last--
  return first <= last ? (first + (ordinal % (last - first + 1))) * step + 0 : undefined
}

function numberOr(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
