import type { Edge, EdgeContext } from '../edge.ts'
import { parseEdit } from '../images/parse-edit.ts'
import { answerJson, submitOnce } from '../tasks/submit-task.ts'
import { presentVideo } from './present-video.ts'
import { readVideoRequest } from './read-video-request.ts'

/** `POST /openai/v1/videos`, as JSON or as a form: submits a video task. */
export function createVideo(edge: Edge, ctx: EdgeContext): Promise<void> {
  return submitOnce(edge, ctx, {
    kind: 'video',
    contentTypes: /^(application\/json|multipart\/form-data)\s*(;|$)/i,
    parse: parseEdit(ctx.req.headers, /^input_reference$/),
    translate: json => readVideoRequest(edge.inference.models, json),
    answer: ({ task, submission, keep }) =>
      answerJson(ctx, { body: presentVideo(task, submission.parameters), keep }),
  })
}
