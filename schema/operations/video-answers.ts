import { Type } from 'typebox'
import { nullable, open } from '../wire/shapes.ts'

const Seconds = Type.Integer({ description: 'A time, in seconds since 1970.' })

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
    seconds: Type.String({ description: 'The duration in seconds. Empty if the request did not set it.' }),
    size: Type.String({ description: 'Width and height in pixels. Empty if the request did not set them.' }),
  },
  open,
)

export const VideoListAnswer = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(VideoAnswer),
    first_id: nullable(Type.String()),
    last_id: nullable(Type.String()),
    has_more: Type.Boolean(),
  },
  open,
)

export const DeletedVideoAnswer = Type.Object(
  { id: Type.String(), object: Type.Literal('video.deleted'), deleted: Type.Boolean() },
  open,
)
