import type { Batch, Charge, HoldTarget } from './send-batch.ts'

/**
 * Splits a batch into independent parts, in the order in which they must be sent. Returns no parts if it cannot be
 * split. The rows of one hold stay together while the batch has several holds, because the target states the amount
 * after the charges. Within one hold the charges come first, in halves, then the growth.
 */
export function splitBatch(batch: Batch): Batch[] {
  const units = unitsOf(batch)
  if (units.length > 1) {
    const middle = units.length >> 1
    return [join(units.slice(0, middle)), join(units.slice(middle))]
  }
  const { charges, targets, asks } = batch
  if (asks.length > 0 && charges.length > 0)
    return [
      { charges, targets, asks: [] },
      { charges: [], targets, asks },
    ]
  if (charges.length > 1) {
    const middle = charges.length >> 1
    const second = charges.slice(middle)
    const first = { charges: charges.slice(0, middle), targets: beforeCharges(targets, second), asks: [] }
    return [first, { charges: second, targets, asks: [] }]
  }
  // The remaining charge or growth is invalid: only the target is sent, without it.
  if (charges.length + asks.length > 0 && targets.length > 0) return [{ charges: [], targets, asks: [] }]
  return []
}

/** Groups the rows by hold. Each charge without a hold is a separate group. */
function unitsOf({ charges, targets, asks }: Batch): Batch[] {
  const units: Batch[] = []
  const byHold = new Map<string, Batch>()
  const unitOf = (holdId: string | undefined): Batch => {
    const known = holdId === undefined ? undefined : byHold.get(holdId)
    if (known) return known
    const unit: Batch = { charges: [], targets: [], asks: [] }
    units.push(unit)
    if (holdId !== undefined) byHold.set(holdId, unit)
    return unit
  }
  for (const target of targets) unitOf(target.holdId).targets.push(target)
  for (const charge of charges) unitOf(charge.holdId).charges.push(charge)
  for (const ask of asks) unitOf(ask.holdId).asks.push(ask)
  return units
}

function join(units: Batch[]): Batch {
  return {
    charges: units.flatMap(unit => unit.charges),
    targets: units.flatMap(unit => unit.targets),
    asks: units.flatMap(unit => unit.asks),
  }
}

/** Returns the targets before these charges are subtracted. */
function beforeCharges(targets: HoldTarget[], charges: Charge[]): HoldTarget[] {
  const costNanos = charges.reduce((sum, { item }) => sum + item.record.costNanos, 0n)
  return targets.map(target => ({ ...target, amountNanos: target.amountNanos + costNanos }))
}
