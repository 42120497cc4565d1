import { type Static, Type } from 'typebox'
import { nullable, open } from '../wire/shapes.ts'
import type { Operation } from './operations.ts'

/** An amount in US dollars. */
const dollarsOf = (description: string) => Type.Number({ description: `${description}, in US dollars.` })
const Count = Type.Integer({ minimum: 0 })

export const KeyAnswer = Type.Object(
  {
    data: Type.Object(
      {
        label: Type.String({ description: "The key's name." }),
        limit: nullable(dollarsOf('The spend cap of one period; `null` without a cap')),
        limit_remaining: nullable(dollarsOf('The amount left of the cap in the current period')),
        limit_reset: nullable(
          Type.Enum(['daily', 'weekly', 'monthly'], {
            description: 'The interval of the cap; `null` for none.',
          }),
        ),
        usage: dollarsOf('The amount that the key has spent since it was created'),
        usage_daily: dollarsOf('The amount spent since midnight UTC'),
        usage_weekly: dollarsOf('The amount spent since Monday, UTC'),
        usage_monthly: dollarsOf('The amount spent since the first day of the month, UTC'),
        byok_usage: Type.Literal(0, {
          description: "Always 0: calls with the account's own credentials cost nothing.",
        }),
        byok_usage_daily: Type.Literal(0),
        byok_usage_weekly: Type.Literal(0),
        byok_usage_monthly: Type.Literal(0),
        include_byok_in_limit: Type.Literal(false),
        is_free_tier: Type.Boolean({ description: 'Whether the account has never paid.' }),
        is_provisioning_key: Type.Boolean(),
        is_management_key: Type.Boolean({ description: 'The same as `is_provisioning_key`.' }),
        creator_user_id: nullable(
          Type.String({ description: 'The user who created the key; `null` if no user did.' }),
        ),
        expires_at: nullable(Type.String({ format: 'date-time' })),
        rate_limit: Type.Object(
          {
            requests: Type.Integer({ description: 'The maximum number of new requests per interval.' }),
            interval: Type.String({ description: 'The interval, such as `10s`.' }),
            note: Type.String(),
          },
          open,
        ),
      },
      open,
    ),
  },
  open,
)
export type KeyAnswer = Static<typeof KeyAnswer>

export const CreditsAnswer = Type.Object(
  {
    data: Type.Object(
      {
        total_credits: dollarsOf('The credits that the account has received, less what was taken back'),
        total_usage: dollarsOf('The part of these credits that was spent'),
      },
      open,
    ),
  },
  open,
)
export type CreditsAnswer = Static<typeof CreditsAnswer>

export const GenerationAnswer = Type.Object(
  {
    data: Type.Object(
      {
        id: Type.String({ description: "The request's ID, as in the response header `x-request-id`." }),
        upstream_id: nullable(Type.String({ description: "The vendor's ID of the request." })),
        created_at: Type.String({ format: 'date-time', description: 'When the request arrived.' }),
        api_type: Type.String({ description: 'The operation, such as `chat.completions`.' }),
        model: nullable(Type.String({ description: 'The model that answered, or the requested one.' })),
        provider_name: nullable(Type.String({ description: 'The vendor.' })),
        is_byok: Type.Boolean({ description: "Whether the account's own credential answered." }),
        status: Type.Integer({ description: 'The HTTP status; 499 if the client disconnected.' }),
        error_code: nullable(Type.String()),
        streamed: Type.Boolean(),
        cancelled: Type.Boolean({ description: 'Whether the client disconnected.' }),
        total_cost: dollarsOf('The charge'),
        usage: dollarsOf('The same charge'),
        tokens_prompt: Count,
        tokens_completion: Count,
        native_tokens_prompt: Count,
        native_tokens_completion: Count,
        native_tokens_reasoning: Count,
        native_tokens_cached: Count,
        external_user: nullable(Type.String({ description: 'The end user that the request named.' })),
        latency: nullable(Type.Integer({ description: 'The time to the first byte, in milliseconds.' })),
        generation_time: Type.Integer({ description: 'The duration of the request, in milliseconds.' }),
        provider_responses: nullable(
          Type.Array(
            Type.Object(
              {
                model_permaslug: Type.String(),
                provider_name: Type.Optional(Type.String({ description: 'The vendor.' })),
                is_byok: Type.Boolean(),
                latency: Type.Number({ description: 'The duration of the attempt, in milliseconds.' }),
                status: nullable(Type.Integer()),
              },
              open,
            ),
            { description: 'The attempts, if there was more than one, or if the only one failed.' },
          ),
        ),
      },
      open,
    ),
  },
  open,
)
export type GenerationAnswer = Static<typeof GenerationAnswer>

/** Figures that a key reads about itself, its account and its requests. Provisioning keys can call them too. */
export const accountOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/key',
    name: 'readCallingKey',
    tag: 'Account',
    summary: 'Returns the limits and the spending of the calling API key.',
    answer: 'CallingKey',
  },
  {
    method: 'GET',
    path: '/v1/credits',
    name: 'readCredits',
    tag: 'Account',
    summary: 'Returns the credits that the account has received, and what it has spent of them.',
    answer: 'Credits',
  },
  {
    method: 'GET',
    path: '/v1/generation',
    name: 'readGeneration',
    tag: 'Account',
    summary:
      'Returns one request with its model, vendor, tokens, cost and times. An ordinary key finds only its own.',
    parameters: {
      id: {
        schema: Type.String(),
        description:
          'The ID of a chat completion, response, message or task, or the `x-request-id` of a request.',
        example: 'req_0192f3a17c4e7b1a9d523f6e8a1b2c3d',
        isRequired: true,
      },
    },
    answer: 'Generation',
  },
]
