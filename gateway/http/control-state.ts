import type { ParameterizedContext } from 'koa'
import type { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'

/** What is known of a request on its way through the control plane. */
export interface ControlState {
  call: Call
  /** What the log line says beyond the usual. */
  line: Record<string, unknown>
  /** What went wrong, for the log line. */
  problem?: Problem
}

export type ControlContext = ParameterizedContext<ControlState>
