import type * as Sdk from '@google/genai'

/**
 * The Gemini wire format (v1beta), from the types of the vendor's own SDK, so that the compiler checks requests and
 * answers against them. The SDK's enums are plain strings on the wire.
 */
type Wire<Value> = Value extends string
  ? `${Value}`
  : Value extends (infer Item)[]
    ? Wire<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Wire<Value[Key]> }
      : Value

export interface GenerateBody {
  contents: Turn[]
  systemInstruction?: Pick<Turn, 'parts'>
  tools?: { functionDeclarations: FunctionDeclaration[] }[]
  toolConfig?: Wire<Sdk.ToolConfig>
  generationConfig: GenerationConfig
}

/** `Content` in the vendor's types: the consecutive messages of one side. */
export interface Turn {
  role: 'user' | 'model'
  parts: Part[]
}

export type Part = Wire<Sdk.Part>
export type FunctionDeclaration = Wire<Sdk.FunctionDeclaration>
export type CallingConfig = Wire<Sdk.FunctionCallingConfig>
export type GenerationConfig = Wire<Sdk.GenerationConfig>
export type ThinkingConfig = Wire<Sdk.ThinkingConfig>

/** A whole answer or one event of a streamed answer, and the error that can replace it. */
export type GenerateAnswer = Wire<
  Pick<
    Sdk.GenerateContentResponse,
    'candidates' | 'promptFeedback' | 'usageMetadata' | 'modelVersion' | 'responseId'
  >
> & { error?: unknown }

export type Candidate = Wire<Sdk.Candidate>
export type PromptFeedback = NonNullable<GenerateAnswer['promptFeedback']>
export type UsageMetadata = NonNullable<GenerateAnswer['usageMetadata']>
export type LogprobsResult = Wire<Sdk.LogprobsResult>
export type FinishReason = `${Sdk.FinishReason}`
