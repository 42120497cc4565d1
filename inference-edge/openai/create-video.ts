import { parseEdit } from '../images/parse-edit.ts'
import { answerJson } from '../tasks/submit-task.ts'
import { tasksOf } from '../tasks/task-kind.ts'
import { presentVideo } from './present-video.ts'
import { readVideoRequest } from './read-video-request.ts'

/** `POST /openai/v1/videos`, as JSON or as a form: submits a video task. */
export const openaiVideos = tasksOf({
  kind: 'video',
  contentTypes: /^(application\/json|multipart\/form-data)\s*(;|$)/i,
  parser: ctx => parseEdit(ctx.req.headers, /^input_reference$/),
  translate: ({ inference }, json) => readVideoRequest(inference.models, json),
  answer: (_edge, ctx, { task, submission, keep }) =>
    answerJson(ctx, { body: presentVideo(task, submission.parameters), keep }),
})
