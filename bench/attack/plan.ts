import { type Static, Type } from 'typebox'

/** The plan of one attack, which its process receives. */
export const AttackPlan = Type.Object({
  name: Type.String(),
  port: Type.Integer(),
  /** API keys of the attacking account, used in turn. */
  keys: Type.Array(Type.String(), { minItems: 1 }),
  model: Type.String(),
  imageModel: Type.String(),
  speechModel: Type.String(),
  imagePrompt: Type.String(),
})
export type AttackPlan = Static<typeof AttackPlan>

/** The answers that an attack got, by status. */
export type AttackTally = Record<string, number>
