import { graphql } from '../../graph/documents.ts'

/** Usage by day since a day; how long requests took, and the models and keys that cost most since another. */
export const overviewDocument = graphql(`
  query Overview($since: Date!, $month: Date!) {
    me { balance { credits held available } }
    days: usage(first: 100, filter: { since: $since }, groupBy: [DAY]) {
      nodes { day requests failedRequests spent promptTokens completionTokens }
    }
    month: usage(first: 1, filter: { since: $month }, groupBy: []) {
      nodes { durationP50Ms durationP95Ms }
    }
    models: usage(first: 5, filter: { since: $month }, groupBy: [MODEL], orderBy: { field: SPENT, direction: DESC }) {
      nodes { modelName requests spent }
    }
    keys: usage(first: 5, filter: { since: $month }, groupBy: [API_KEY], orderBy: { field: SPENT, direction: DESC }) {
      nodes { apiKey { id name } requests spent }
    }
  }
`)
