import type { TestClient } from './a-client.ts'
import type { EdgeHouse } from './an-edge.ts'

/** What the log says of a client's requests, in the order in which they came. */
export async function logsOf({ context: { sql } }: EdgeHouse, { accountId }: TestClient) {
  return [...(await sql`select * from request_logs where account_id = ${accountId} order by created_at, id`)]
}
