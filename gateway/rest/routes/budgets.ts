import type { Route } from './route.ts'

export const budgetRecord = `
  id kind member_id: member { id } api_key_id: apiKey { id } tag { key value } endUser limit action resetInterval spent
  held periodStart createdAt`

/** Budgets (docs/behaviour.md, Budgets). */
export const budgets: Route[] = [
  {
    method: 'GET',
    path: '/budgets',
    document: `
      query listBudgets($first: Int, $after: String) {
        budgets(first: $first, after: $after) { data: nodes { ${budgetRecord} } totalCount }
      }`,
    caller: 'manager',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'POST',
    path: '/budgets',
    document: `
      mutation createBudget($input: CreateBudgetInput!) { createBudget(input: $input) { budget { ${budgetRecord} } } }`,
    caller: 'manager',
    answer: ['create_budget', 'budget'],
    status: 201,
  },
  {
    method: 'PUT',
    path: '/budgets/{id}',
    document: `
      mutation updateBudget($input: UpdateBudgetInput!) { updateBudget(input: $input) { budget { ${budgetRecord} } } }`,
    caller: 'manager',
    answer: ['update_budget', 'budget'],
  },
  {
    method: 'DELETE',
    path: '/budgets/{id}',
    document: 'mutation deleteBudget($id: ID!) { deleteBudget(input: { id: $id }) { deletedBudgetId } }',
    caller: 'manager',
    status: 204,
  },
]
