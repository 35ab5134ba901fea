import type { AppContext } from '../app-context.ts'
import { issueToken } from '../devices/access-token.ts'

/** A device of a client, in any of its groups, and its access tokens by the time they were issued, in epoch seconds. */
export async function knownPhone(ctx: AppContext, client: string, device_reference: string) {
  const { rows } = await ctx.db.owner.query<{ client_id: number; device_id: number }>(
    `insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
     select client_id, $2, group_id, 1, 'test' from groups join clients using (client_id) where client = $1 and not is_reserved limit 1
     returning client_id, device_id`,
    [client, device_reference],
  )
  const [row] = rows
  if (!row) throw new Error(`no group of ${client}`)
  const { client_id, device_id } = row
  return {
    device_id,
    tokenAt: (time: number): Promise<string> =>
      ctx.db.write(client_id, (tx) => issueToken(tx, device_id, time)),
  }
}
