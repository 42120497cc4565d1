import { Type } from 'typebox'
import { tasksOfMedia } from '../catalog/entry.ts'
import { optional } from '../wire/shapes.ts'
import { listParameters } from './list-parameters.ts'
import { mediaRequest } from './media-request.ts'
import type { Operation } from './operations.ts'

const VideoRequest = mediaRequest({
  prompt: optional(Type.String({ description: 'A description of the video.' })),
  seconds: optional(
    Type.Union([Type.String({ pattern: '^\\d{1,4}$' }), Type.Integer({ minimum: 0, maximum: 9_999 })], {
      description: 'The duration of the video, in seconds.',
    }),
  ),
  size: optional(
    Type.String({
      pattern: '^\\d{2,5}x\\d{2,5}$',
      description: 'The width and height in pixels, for example `1280x720`.',
    }),
  ),
  input_reference: optional(
    Type.Union([Type.String(), Type.Object({ image_url: Type.String() })], {
      description:
        'The first frame: a public HTTPS URL, the URL of an upload, or `data:TYPE;base64,CONTENT`.',
    }),
  ),
})

const SpeechRequest = mediaRequest({
  input: Type.String({ description: 'The text to speak.' }),
  voice: optional(Type.String()),
  stream_format: optional(Type.Enum(['audio'])),
})

const videoId = {
  id: {
    schema: Type.String(),
    description: 'The ID of the video.',
    example: 'task_0192f3a17c4e7b1a9d523f6e8a1b2c3d',
  },
}

const tag = 'OpenAI'

/** The operations of `/openai/v1` that differ from `/v1`. They have OpenAI's format. */
export const openaiOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/openai/v1/audio/speech',
    name: 'createSpeech',
    tag,
    summary: 'Generates speech from text. The response is the audio file.',
    request: SpeechRequest,
    file: 'audio/*',
    example: { model: 'vendor_n/herald', input: 'Good morning.', voice: 'amber' },
    tasks: tasksOfMedia.speech,
  },
  {
    method: 'POST',
    path: '/openai/v1/videos',
    name: 'createVideo',
    tag,
    summary: 'Submits the generation of a video.',
    request: VideoRequest,
    otherBodies: ['multipart/form-data'],
    formFile: 'input_reference',
    answer: 'Video',
    example: { model: 'vendor_i/reel', prompt: 'A paper boat on a quiet lake at dawn' },
    tasks: tasksOfMedia.video,
  },
  {
    method: 'GET',
    path: '/openai/v1/videos',
    name: 'listOpenaiVideos',
    tag,
    summary: "Lists the account's videos, newest first unless `order` is `asc`.",
    parameters: listParameters,
    answer: 'VideoList',
  },
  {
    method: 'GET',
    path: '/openai/v1/videos/{id}',
    name: 'retrieveVideo',
    tag,
    summary: 'Returns the status of a video.',
    parameters: videoId,
    answer: 'Video',
  },
  {
    method: 'DELETE',
    path: '/openai/v1/videos/{id}',
    name: 'deleteVideo',
    tag,
    summary: 'Cancels a pending video, or deletes the file of a completed one.',
    parameters: videoId,
    answer: 'DeletedVideo',
  },
  {
    method: 'GET',
    path: '/openai/v1/videos/{id}/content',
    name: 'downloadVideo',
    tag,
    summary: 'Returns the file of a completed video.',
    parameters: {
      ...videoId,
      variant: {
        schema: Type.Enum(['video']),
        description: 'The kind of file. Only `video` is supported.',
        example: 'video',
      },
    },
    file: 'video/*',
  },
]
