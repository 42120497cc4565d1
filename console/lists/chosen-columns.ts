/**
 * Reads the chosen columns of a table from a parameter of the address. Unknown names are left out, and the columns keep their
 * order. Returns `undefined` if the reader has chosen none.
 */
export function chosenColumns<Name extends string>(
  parameter: unknown,
  names: readonly Name[],
): readonly Name[] | undefined {
  if (!Array.isArray(parameter)) return undefined
  const chosen = names.filter(name => parameter.includes(name))
  return chosen.length === 0 ? undefined : chosen
}

/** Returns the chosen columns after one was added or removed. At least one is left. */
export function toggleColumn<Name extends string>(
  chosen: readonly Name[],
  name: Name,
  names: readonly Name[],
): readonly Name[] {
  const next = names.filter(other => chosen.includes(other) !== (other === name))
  return next.length === 0 ? chosen : next
}
