const harmless = { filtered: false, severity: 'safe' }
const results = { hate: harmless, self_harm: harmless, sexual: harmless, violence: harmless }

/** What the content filter found in the prompt. */
export const promptFilterResults = [{ prompt_index: 0, content_filter_results: results }]

/** An answer with what the content filter found in it. */
export function presentFiltered<Completion extends { choices: object[] }>(completion: Completion) {
  return {
    ...completion,
    choices: completion.choices.map(choice => ({ ...choice, content_filter_results: results })),
    prompt_filter_results: promptFilterResults,
  }
}

/**
 * A stream with what the content filter found: first of the prompt, in a chunk without a choice, an id or a model;
 * in every chunk with a choice of that; and behind the answer once more, in a chunk whose choice has no delta.
 */
export function* streamFiltered(frames: Iterable<string>): Iterable<string> {
  const empty = { choices: [], created: 0, id: '', model: '', object: '' }
  yield frame({ ...empty, prompt_filter_results: promptFilterResults })
  for (const text of frames) {
    if (text === 'data: [DONE]\n\n') {
      yield frame({ ...empty, choices: [asynchronous] })
      yield text
    } else {
      yield text.replaceAll(
        '"finish_reason":',
        `"content_filter_results":${JSON.stringify(results)},"finish_reason":`,
      )
    }
  }
}

const asynchronous = {
  index: 0,
  finish_reason: null,
  content_filter_results: results,
  content_filter_offsets: { check_offset: 0, start_offset: 0, end_offset: 40 },
}

function frame(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}
