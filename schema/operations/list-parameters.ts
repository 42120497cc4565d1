import { Type } from 'typebox'

/** Default and maximum number of tasks in a list. */
export const defaultListed = 20
export const maxListed = 100

/** The query parameters of lists of video tasks. */
export const listParameters = {
  limit: {
    schema: Type.Integer({ minimum: 1, maximum: maxListed, default: defaultListed }),
    description: 'The maximum number of tasks on the page.',
  },
  after: { schema: Type.String(), description: 'The ID of the task after which the page begins.' },
  order: {
    schema: Type.Enum(['asc', 'desc'], { default: 'desc' }),
    description: 'The order of the tasks by the time of their submission: `asc` lists the oldest first.',
    example: 'desc',
  },
  status: {
    schema: Type.Enum(['pending', 'success', 'failed']),
    description: 'Lists only tasks with this status.',
    example: 'pending',
  },
}
