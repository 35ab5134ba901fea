import { actionsOf, api, type Endpoint } from '@custodia/contract'
import type { AccessCache } from '../access/load.ts'
import { noteAccess } from '../access/note-access.ts'
import { assertReason } from '../access/reasons.ts'
import { actorOf, type Handler } from '../http/context.ts'
import { Problem } from '../http/problem.ts'

/** Notes that the caller takes rows of a list away. Problems: reason_required; not_permitted, where they may not read the list. */
export function noteExport(book: AccessCache): Handler<'noteExport'> {
  return async (context, { body: { list, reason } }) => {
    const { caller, now: at } = context
    const row = Object.hasOwn(api, list) ? (api[list as keyof typeof api] as Endpoint) : undefined
    if (!row || row.method === 'PUT' || row.authentication !== 'portal')
      throw new Problem('invalid_input', { detail: 'no list' })
    const missing = actionsOf(row).find((action) => !caller.access.may(action))
    if (missing !== undefined) throw new Problem('not_permitted', { detail: `no role permits ${missing}` })
    const { source } = await context.read((q) => book.rightsOf(q))
    assertReason(source.reasons, reason)
    await context.write(async (tx) => {
      if (caller.is_client_app) return
      await noteAccess(tx, {
        act: context.action,
        at,
        actor: actorOf(caller),
        user_reference: caller.user_reference,
      })
    })
    return { list }
  }
}
