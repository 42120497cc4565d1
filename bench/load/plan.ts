import { type Static, Type } from 'typebox'

/** What clients ask for: `/v1/chat/completions`, `/v1/responses`, `/v1/images/generations`, or `/graphql`. */
export const Protocol = Type.Union([
  Type.Literal('chat'),
  Type.Literal('responses'),
  Type.Literal('images'),
  Type.Literal('graph'),
])
export type Protocol = Static<typeof Protocol>

/** The plan of one round of load on one server, which the load process receives. */
export const LoadPlan = Type.Object({
  port: Type.Integer(),
  /** API keys, taken in turn. */
  keys: Type.Array(Type.String(), { minItems: 1 }),
  /**
   * `closed`: each connection sends its next request as soon as the last one was answered.
   * `open`: a fixed number of requests per second, answered or not, on as many connections as needed.
   * `once`: each connection sends one request, all of them within a few seconds.
   */
  shape: Type.Union([
    Type.Object({ connections: Type.Integer({ minimum: 1 }) }),
    Type.Object({ perSecond: Type.Number({ exclusiveMinimum: 0 }) }),
    Type.Object({ once: Type.Integer({ minimum: 1 }) }),
  ]),
  protocol: Protocol,
  model: Type.String(),
  /** 0 asks for a whole answer. */
  streamChunks: Type.Integer({ minimum: 0 }),
  /** Bytes of each image. */
  imageBytes: Type.Integer({ minimum: 0 }),
  /** Delay of the upstream between the chunks of a stream, in milliseconds. */
  chunkEveryMs: Type.Integer({ minimum: 0 }),
  /** Delay of the upstream before its first byte, in milliseconds. */
  upstreamLatencyMs: Type.Integer({ minimum: 0 }),
  /** A 503 is counted by itself, and nothing is wrong with it. */
  mayBeRefused: Type.Boolean(),
  /** Not counted, before what is counted. */
  warmUpSeconds: Type.Number({ minimum: 0 }),
  seconds: Type.Number({ exclusiveMinimum: 0 }),
})
export type LoadPlan = Static<typeof LoadPlan>

/** The result of a round. */
export const LoadResult = Type.Object({
  /** The number of correct responses, including warm-up and end. */
  answers: Type.Integer(),
  /** Right answers in the seconds that count, by the second. */
  perSecond: Type.Number(),
  /** Milliseconds from when a request was due until its answer was there whole, for the seconds that count. */
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
  /** The same of refusals, from when they were asked for; zeros where there were none. */
  refusedPerSecond: Type.Number(),
  refusedP50Ms: Type.Number(),
  refusedP99Ms: Type.Number(),
  /** How late requests were sent that were due at a moment, in milliseconds: part of the figures above; else zero. */
  lateP99Ms: Type.Number(),
  /** How many answers were wrong or missing, and what was wrong with the first ones. */
  wrong: Type.Integer(),
  faults: Type.Array(Type.String()),
})
export type LoadResult = Static<typeof LoadResult>

/** No answer counted: nothing can be said but why. */
export const LoadFailure = Type.Object({ faults: Type.Array(Type.String(), { minItems: 1 }) })
export type LoadFailure = Static<typeof LoadFailure>
