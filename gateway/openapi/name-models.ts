import { compileParameters, openValidator } from '../../domain/models/compile-parameters.ts'
import type { CatalogueEntry, ModelTask } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { operations } from '../../schema/operations/operations.ts'
import { managementExamples } from './examples.ts'
import { isObject, type JsonObject, type JsonValue } from './json-schema.ts'

/** The placeholder for an example if this installation serves no model for the operation. */
const noModel = { model: '<vendor>/<model_name>', id: '<task>.<model_slug>' }

const tasksOfOperation = new Map<string, readonly ModelTask[]>(
  [...operations.map(({ name, tasks }) => [name, { tasks }] as const), ...managementExamples].flatMap(
    ([name, { tasks }]) => (tasks ? [[name, tasks] as const] : []),
  ),
)

/**
 * Returns the OpenAPI document with examples that name models of the catalogue. An example keeps its model if the
 * catalogue contains it. Otherwise the example names a recommended model for the same tasks and omits optional fields
 * that this model does not accept. If no model fits, the example has a placeholder and the description says so.
 */
export function nameModels(document: JsonObject, models: readonly CatalogueEntry[]): JsonObject {
  const validator = openValidator()
  const paths = mapValues(document.paths, methods =>
    mapValues(methods, operation => {
      const tasks = isObject(operation) ? tasksOfOperation.get(String(operation.operationId)) : undefined
      if (!isObject(operation) || !tasks) return operation
      const candidates = models.filter(({ task }) => tasks.includes(task))
      candidates.sort((one, other) => Number(other.popular) - Number(one.popular))
      return nameModel(operation, { candidates, validator })
    }),
  )
  return { ...document, paths }
}

interface Choice {
  candidates: readonly CatalogueEntry[]
  validator: ReturnType<typeof openValidator>
}

function nameModel(operation: JsonObject, choice: Choice): JsonObject {
  const { description, parameters, requestBody } = operation
  const none = 'This installation currently serves no model for this operation.'
  return {
    ...operation,
    ...(choice.candidates.length === 0 && { description: description ? `${description} ${none}` : none }),
    ...(Array.isArray(parameters) && { parameters: parameters.map(one => nameInPath(one, choice)) }),
    ...(isObject(requestBody) && {
      requestBody: {
        ...requestBody,
        content: mapValues(requestBody.content, one => nameInBody(one, choice)),
      },
    }),
  }
}

/** Replaces the example of the parameter `model` or `model_id`. */
function nameInPath(parameter: JsonValue, { candidates }: Choice): JsonValue {
  const key = isObject(parameter) ? { model: 'model', model_id: 'id' }[String(parameter.name)] : undefined
  if (!isObject(parameter) || (key !== 'model' && key !== 'id')) return parameter
  const { example } = parameter
  const model = candidates.find(entry => entry[key] === example) ?? candidates[0] ?? noModel
  return { ...parameter, example: model[key] }
}

function nameInBody(body: JsonValue | undefined, { candidates, validator }: Choice): JsonValue | undefined {
  if (!isObject(body) || !isObject(body.example)) return body
  const { model, ...fields } = body.example
  const own = candidates.filter(entry => entry.model === model)
  for (const entry of [...own, ...candidates]) {
    const accepted = acceptedFields(entry, { fields, validator })
    if (accepted) return { ...body, example: { model: entry.model, ...accepted } }
  }
  return { ...body, example: { model: (candidates[0] ?? noModel).model, ...fields } }
}

/** The fields that identify the input. An example without them is not an example of the operation. */
const inputs = ['prompt', 'input', 'image_urls']

/** Returns the fields that a model accepts, or `undefined` if it requires other fields or does not accept the input. */
function acceptedFields(
  entry: CatalogueEntry,
  { fields, validator }: { fields: JsonObject; validator: Choice['validator'] },
): JsonObject | undefined {
  if (entry.modality === 'chat') return fields
  const check = compileParameters({ validator }, entry)
  const accepted = { ...fields }
  for (;;) {
    try {
      check(accepted)
      return accepted
    } catch (error) {
      const name = error instanceof Problem ? error.details.param?.replace(/\[.*/, '') : undefined
      if (name === undefined || inputs.includes(name) || !(name in accepted)) return undefined
      delete accepted[name]
    }
  }
}

function mapValues(
  value: JsonValue | undefined,
  change: (value: JsonValue | undefined) => JsonValue | undefined,
): JsonObject {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]))
    : {}
}
