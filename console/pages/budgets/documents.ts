import { graphql, type ResultOf } from '../../graph/documents.ts'

const budgetFields = graphql(`
  fragment BudgetFields on Budget {
    id
    kind
    member { id email }
    apiKey { id name }
    tag { key value }
    endUser
    limit
    action
    resetInterval
    spent
    held
    periodStart
    createdAt
  }
`)

export type Budget = ResultOf<typeof budgetFields>

/** Mutations of budgets refetch the list also while it is empty, when its result has no budget. */
export const budgetsContext = { additionalTypenames: ['Budget'] }

export const budgetsDocument = graphql(
  `
    query Budgets($first: Int, $after: String, $last: Int, $before: String) {
      budgets(first: $first, after: $after, last: $last, before: $before) {
        nodes { ...BudgetFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [budgetFields],
)

export const budgetDocument = graphql(
  `
    query Budget($id: ID!) { budget(id: $id) { ...BudgetFields } }
  `,
  [budgetFields],
)

/** The members and API keys for which budgets are created. */
export const subjectsDocument = graphql(`
  query BudgetSubjects {
    members(first: 100) { nodes { id email } }
    apiKeys(first: 100) { nodes { id name } }
  }
`)

export const createBudgetDocument = graphql(
  `
    mutation CreateBudget($input: CreateBudgetInput!) {
      createBudget(input: $input) { budget { ...BudgetFields } }
    }
  `,
  [budgetFields],
)

export const updateBudgetDocument = graphql(
  `
    mutation UpdateBudget($input: UpdateBudgetInput!) {
      updateBudget(input: $input) { budget { ...BudgetFields } }
    }
  `,
  [budgetFields],
)

export const deleteBudgetDocument = graphql(`
  mutation DeleteBudget($input: DeleteBudgetInput!) { deleteBudget(input: $input) { deletedBudgetId } }
`)
