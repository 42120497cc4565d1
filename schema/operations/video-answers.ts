import { Type } from 'typebox'
import { nullable, open } from '../wire/shapes.ts'
import { listOf } from './answers.ts'

const Seconds = Type.Integer({ description: 'A time, in seconds since 1970 (UTC).' })

/** Videos in OpenAI's shape. */
export const VideoAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('video'),
    model: Type.String(),
    status: Type.Enum(['queued', 'in_progress', 'completed', 'failed']),
    progress: Type.Number({ minimum: 0, maximum: 100, description: 'The progress in percent.' }),
    created_at: Seconds,
    completed_at: nullable(Seconds),
    expires_at: nullable(Seconds),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() }, open)),
    prompt: nullable(Type.String()),
    remixed_from_video_id: nullable(Type.String()),
    seconds: Type.String({
      description: 'The duration that the request set, in seconds. Empty if it set none.',
    }),
    size: Type.String({
      description: 'The width and height that the request set, in pixels. Empty if it set none.',
    }),
    cost: nullable(
      Type.Number({ description: 'The charge, in US dollars; null until the video has ended.' }),
    ),
  },
  open,
)

export const VideoListAnswer = listOf(VideoAnswer)

export const DeletedVideoAnswer = Type.Object(
  { id: Type.String(), object: Type.Literal('video.deleted'), deleted: Type.Boolean() },
  open,
)
