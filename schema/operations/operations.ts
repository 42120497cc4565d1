import { type TSchema, Type } from 'typebox'
import { type ModelTask, tasksOfMedia } from '../catalog/entry.ts'
import { ChatRequest } from '../wire/chat.ts'
import { EmbeddingsRequest } from '../wire/embeddings.ts'
import { MessagesRequest } from '../wire/messages.ts'
import { ResponsesRequest } from '../wire/responses/request.ts'
import { withProvider, withRouting } from '../wire/routing.ts'
import { optional } from '../wire/shapes.ts'
import { accountOperations, CreditsAnswer, GenerationAnswer, KeyAnswer } from './account-operations.ts'
import {
  ChatCompletionAnswer,
  ChatCompletionChunk,
  EmbeddingsAnswer,
  ImagesAnswer,
  MessagesAnswer,
  MessagesEvent,
  ModelAnswer,
  ModelListAnswer,
  ResponsesAnswer,
  ResponsesEvent,
  TaskAnswer,
  TaskListAnswer,
  TokenCountAnswer,
  UploadAnswer,
} from './answers.ts'
import { imageOperations } from './image-operations.ts'
import { listParameters } from './list-parameters.ts'
import { mediaRequest } from './media-request.ts'
import { openaiOperations } from './openai-operations.ts'
import { DeletedVideoAnswer, VideoAnswer, VideoListAnswer } from './video-answers.ts'

/** One operation of `/v1` or `/openai/v1`, for the description at `/openapi.json`. */
export interface Operation {
  method: 'GET' | 'POST' | 'DELETE'
  /** The path with the names of its parameters: `/v1/models/{model}`. */
  path: string
  name: string
  tag: string
  summary: string
  description?: string
  /** Parameters in path and query. Those of the path are always required. */
  parameters?: Readonly<
    Record<string, { schema: TSchema; description: string; example?: string; isRequired?: boolean }>
  >
  /** The shape that validates the JSON body. */
  request?: TSchema
  /** Other media types of the body. */
  otherBodies?: readonly string[]
  /** The field of a form that contains the file. Defaults to `file`. */
  formFile?: string
  /** The name of the response's schema in `answers`. */
  answer?: keyof typeof answers
  /** Statuses of errors that other operations do not have. */
  errors?: readonly number[]
  /** The media type of a response that is a file. */
  file?: string
  /** The name of the schema of each `data:` line of an event stream, except `[DONE]`. */
  event?: keyof typeof answers
  /** A valid body. Tests send each. */
  example?: object
  /** The tasks of the models that the example can name. Its model is replaced if the installation does not serve it. */
  tasks?: readonly ModelTask[]
}

/** The shapes of responses by name. */
export const answers = {
  ChatCompletion: ChatCompletionAnswer,
  ChatCompletionChunk,
  ModelResponse: ResponsesAnswer,
  ModelResponseEvent: ResponsesEvent,
  Message: MessagesAnswer,
  MessageEvent: MessagesEvent,
  TokenCount: TokenCountAnswer,
  Embeddings: EmbeddingsAnswer,
  Images: ImagesAnswer,
  InferenceModelList: ModelListAnswer,
  InferenceModel: ModelAnswer,
  MediaTask: TaskAnswer,
  MediaTaskList: TaskListAnswer,
  Upload: UploadAnswer,
  CallingKey: KeyAnswer,
  Credits: CreditsAnswer,
  Generation: GenerationAnswer,
  Video: VideoAnswer,
  VideoList: VideoListAnswer,
  DeletedVideo: DeletedVideoAnswer,
} as const

const prompt = Type.String({ description: 'The description of the output.' })

const taskId = {
  id: {
    schema: Type.String(),
    description: "The task's ID. The paths for videos, speech and audio each accept tasks of every kind.",
    example: 'task_0192f3a17c4e7b1a9d523f6e8a1b2c3d',
  },
}

/** Returns the submit, poll and cancel operations of one kind of task. */
function taskOperations(
  path: string,
  {
    name,
    tag,
    request,
    example,
    tasks,
    summary,
    errors = [],
  }: Pick<Operation, 'errors'> &
    Required<Pick<Operation, 'name' | 'tag' | 'summary' | 'tasks' | 'example'>> & { request: TSchema },
): Operation[] {
  return [
    {
      method: 'POST',
      path,
      name: `submit${name}`,
      tag,
      summary,
      description:
        'The response is a pending task, whose price is reserved. Poll the task, or set `callback_url` to be notified. The task is charged when it succeeds.',
      request,
      answer: 'MediaTask',
      example,
      tasks,
      errors,
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      name: `poll${name}`,
      tag,
      summary: 'Returns the status of a task, with its files if it has succeeded.',
      parameters: taskId,
      answer: 'MediaTask',
    },
    {
      method: 'DELETE',
      path: `${path}/{id}`,
      name: `cancel${name}`,
      tag,
      summary:
        'Cancels a pending task, if its vendor supports this. A cancelled task has the status `failed` and the error code `cancelled`.',
      parameters: taskId,
      answer: 'MediaTask',
    },
  ]
}

/** Every operation of `/v1`, and the operations of `/openai/v1` that differ. */
export const operations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    name: 'createChatCompletion',
    tag: 'Chat',
    summary: "Creates a chat completion with any chat model, in OpenAI's format.",
    description:
      "Fields that the schema does not name are passed on to vendors that use OpenAI's format. If `stream` is true, the response is a stream of server-sent events that ends with `data: [DONE]`.",
    request: withRouting(ChatRequest),
    answer: 'ChatCompletion',
    event: 'ChatCompletionChunk',
    example: { model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 },
    tasks: ['chat'],
  },
  {
    method: 'POST',
    path: '/v1/responses',
    name: 'createResponse',
    tag: 'Chat',
    summary:
      "Creates a response with any chat model, in OpenAI's Responses format. The endpoint is stateless.",
    request: withRouting(ResponsesRequest),
    answer: 'ModelResponse',
    event: 'ModelResponseEvent',
    example: { model: 'vendor_a/atlas', input: 'Say hello.', max_output_tokens: 50 },
    tasks: ['chat'],
  },
  {
    method: 'POST',
    path: '/v1/messages',
    name: 'createMessage',
    tag: 'Chat',
    summary: "Creates a message with any chat model, in Anthropic's Messages format.",
    request: withRouting(MessagesRequest),
    answer: 'Message',
    event: 'MessageEvent',
    example: { model: 'vendor_b/lyric', max_tokens: 50, messages: [{ role: 'user', content: 'Say hello.' }] },
    tasks: ['chat'],
  },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    name: 'countTokens',
    tag: 'Chat',
    summary: 'Counts the tokens of a prompt. No vendor is called, and nothing is charged.',
    request: MessagesRequest,
    answer: 'TokenCount',
    example: { model: 'vendor_b/lyric', messages: [{ role: 'user', content: 'Say hello.' }] },
    tasks: ['chat'],
  },
  {
    method: 'POST',
    path: '/v1/embeddings',
    name: 'createEmbeddings',
    tag: 'Embeddings',
    summary: "Creates embeddings of texts, in OpenAI's format.",
    request: withProvider(EmbeddingsRequest),
    answer: 'Embeddings',
    example: { model: 'vendor_a/compass-small', input: ['one text', 'another'] },
    tasks: ['text-embedding'],
  },
  ...imageOperations,
  ...taskOperations('/v1/videos/generations', {
    name: 'Video',
    tag: 'Video and audio',
    summary: 'Submits the generation of a video.',
    request: mediaRequest({ prompt: optional(prompt) }),
    example: { model: 'vendor_i/reel', prompt: 'A paper boat on a quiet lake at dawn' },
    tasks: tasksOfMedia.video,
  }),
  {
    method: 'GET',
    path: '/v1/videos/generations',
    name: 'listVideos',
    tag: 'Video and audio',
    summary: "Lists the account's video tasks, newest first unless `order` is `asc`.",
    parameters: listParameters,
    answer: 'MediaTaskList',
  },
  ...taskOperations('/v1/audio/speech', {
    name: 'Speech',
    tag: 'Video and audio',
    summary: 'Submits the generation of speech from text.',
    request: mediaRequest({
      input: Type.String({ description: 'The text to speak.' }),
      voice: optional(Type.String()),
    }),
    example: { model: 'vendor_n/herald', input: 'Good morning.' },
    tasks: tasksOfMedia.speech,
    errors: [406],
  }),
  ...taskOperations('/v1/audio/generations', {
    name: 'Audio',
    tag: 'Video and audio',
    summary: 'Submits the generation of music or sound effects.',
    request: mediaRequest({ prompt }),
    example: { model: 'vendor_o/tempo', prompt: 'A slow waltz on a music box' },
    tasks: tasksOfMedia.audio,
  }),
  {
    method: 'POST',
    path: '/v1/uploads',
    name: 'createUpload',
    tag: 'Uploads',
    summary: 'Stores a file and returns its URL for use in later requests.',
    description:
      'The file is a PNG, JPEG, WebP, GIF or MP4. Send it as a `data:` URI in JSON, as the field `file` of a form, or as the body.',
    request: Type.Object({
      file: Type.String({ description: 'The file as a `data:` URI: `data:TYPE;base64,CONTENT`.' }),
    }),
    otherBodies: ['multipart/form-data', 'image/png', 'image/jpeg', 'image/webp', 'image/gif', 'video/mp4'],
    answer: 'Upload',
    example: {
      file: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    },
  },
  {
    method: 'GET',
    path: '/v1/models',
    name: 'listInferenceModels',
    tag: 'Models',
    summary:
      "Lists the active models, in OpenAI's format, or in Anthropic's format for clients that send `anthropic-version`.",
    answer: 'InferenceModelList',
  },
  {
    method: 'GET',
    path: '/v1/models/{model}',
    name: 'readInferenceModel',
    tag: 'Models',
    summary: 'Returns an active model.',
    parameters: {
      model: {
        schema: Type.String(),
        description: "The model's name, `<vendor>/<model_name>`.",
        example: 'vendor_a/atlas',
      },
    },
    tasks: ['chat'],
    answer: 'InferenceModel',
  },
  ...accountOperations,
  ...openaiOperations,
]
