import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import {
  budgetOrder,
  countBudgets,
  findBudget,
  listBudgets,
  positionOfBudget,
} from '../../domain/budgets/budget-records.ts'
import { createBudget, deleteBudget, updateBudget } from '../../domain/budgets/change-budgets.ts'
import { requireManager } from '../runtime/call.ts'
import { ConnectionArgs, connection, sliceOf, toConnection } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import {
  Budget,
  CreateBudgetInput,
  CreateBudgetPayload,
  DeleteBudgetInput,
  DeleteBudgetPayload,
  presentBudget,
  UpdateBudgetInput,
  UpdateBudgetPayload,
} from './budget.ts'

const BudgetConnection = connection(Budget)

/** Budgets. Managing them requires a session or a provisioning key (docs/behaviour.md, Budgets). */
@Resolver(() => Budget)
export class BudgetResolver {
  @Query(() => Budget, { nullable: true, description: 'Returns a budget of the account.' })
  async budget(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The budget's ID." }) id: string,
  ): Promise<Budget> {
    const { accountId } = requireManager(context)
    return presentBudget(await findBudget(context, { accountId, budgetId: id }))
  }

  @Query(() => BudgetConnection, {
    nullable: true,
    description: "Lists the account's budgets, newest first.",
  })
  async budgets(@Ctx() context: SubgraphContext, @Args(() => ConnectionArgs) args: ConnectionArgs) {
    const { accountId } = requireManager(context)
    const { queries } = context
    const slice = sliceOf(args, budgetOrder)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listBudgets(from, { accountId, slice })),
      positionOf: positionOfBudget,
      present: presentBudget,
      countAll: () => queries.run(accountId, from => countBudgets(from, { accountId })),
    })
  }

  @Mutation(() => CreateBudgetPayload, {
    nullable: true,
    description:
      'Creates a budget. After the response, it applies to every request that it counts. An account can have at most as many budgets as the allowance `budgets` permits.',
  })
  async createBudget(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateBudgetInput, { description: 'The settings of the budget.' })
    input: CreateBudgetInput,
  ): Promise<CreateBudgetPayload> {
    const { accountId } = requireManager(context)
    const { limit, action, resetInterval, ...subject } = input
    const budget = await createBudget(context, {
      accountId,
      subject,
      limitNanos: limit,
      action: action ?? 'refuse',
      resetInterval: resetInterval ?? 'none',
    })
    return { budget: presentBudget(budget) }
  }

  @Mutation(() => UpdateBudgetPayload, {
    nullable: true,
    description:
      'Updates the limit, action or interval of a budget. After the response, every request is checked against the new limit.',
  })
  async updateBudget(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateBudgetInput, { description: 'The budget and its new settings.' })
    { id, limit, action, resetInterval }: UpdateBudgetInput,
  ): Promise<UpdateBudgetPayload> {
    const { accountId } = requireManager(context)
    const changes = {
      limitNanos: limit ?? undefined,
      action: action ?? undefined,
      resetInterval: resetInterval ?? undefined,
    }
    return { budget: presentBudget(await updateBudget(context, { accountId, budgetId: id, changes })) }
  }

  @Mutation(() => DeleteBudgetPayload, {
    nullable: true,
    description: 'Deletes a budget. It limits no further request.',
  })
  async deleteBudget(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DeleteBudgetInput, { description: 'The budget to delete.' }) {
      id,
    }: DeleteBudgetInput,
  ): Promise<DeleteBudgetPayload> {
    const { accountId } = requireManager(context)
    await deleteBudget(context, { accountId, budgetId: id })
    return { deletedBudgetId: id }
  }
}
