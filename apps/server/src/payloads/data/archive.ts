import type { Answer, Api } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type ArchiveMember, insertAddresses } from './address-store.ts'
import { makeAddresses } from './address.ts'
import type { BagInfo } from './bag.ts'
import { validate } from './data.ts'

/** Signs addresses of archives, which differ from those of payloads. */
export const ARCHIVE_SECRET = 'data-archives'

/** Issues one address for the data of many payloads; each payload is checked on its own. */
export function readDataArchive(ctx: AppContext): Handler<'readDataArchive'> {
  return (context, { query: { payload_references, reason } }) =>
    archiveOf(ctx, context, { payload_references, reason })
}

/**
 * The address of an archive, or of a bag when `bag` is given, and the refusals; `also` runs in the
 * transaction that creates it. Problem: reason_required.
 */
export async function archiveOf(
  ctx: AppContext,
  context: PortalContext,
  asked: {
    payload_references: readonly string[]
    reason?: string | undefined
    bag?: BagInfo
    /** A further action that each payload needs. */
    needs?: string
    also?: (tx: Tx) => Promise<void>
  },
): Promise<Answer<Api['readDataArchive']>> {
  const { payload_references, reason, bag, needs, also } = asked
  const validated = await validate(context, { action: 'download', also: needs, reason }, payload_references)
  const data = validated.map(({ payload_reference, status }) => ({ payload_reference, status }))
  const given = validated.flatMap(({ address }) => address ?? [])
  const [first] = given
  if (!first) return { data }
  first.archive = validated.map(({ payload_reference, status, address }): ArchiveMember => ({
    payload_reference,
    status,
    ...(address && { address_id: address.address_id }),
  }))
  if (bag) first.bag = bag
  await context.write(async (tx) => {
    await insertAddresses(tx, given)
    await also?.(tx)
  })
  const { address_id, expires_at } = first
  const { client_id } = context.caller
  const addresses = makeAddresses(await ctx.keys.namedSecret(ARCHIVE_SECRET))
  const token = addresses.seal({ address_id, client_id, expires_at })
  return { data, s3_url: `${ctx.config.clientPortalUrl}/media/archives/${token}`, expires_at }
}
