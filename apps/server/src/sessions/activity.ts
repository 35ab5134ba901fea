import type { AccessCache } from '../access/load.ts'
import type { AppContext } from '../app-context.ts'
import { newLogId } from '../http/audit.ts'
import type { AuditEntry, Context } from '../http/context.ts'
import type { RefusedSignIn } from '../ports/identity/interaction.ts'
import { type Membership } from './store.ts'
import { findClient, type Client } from '../clients/store.ts'

interface Activity {
  action: 'session:sign_in' | 'session:refresh'
  client: Client
  membership: Pick<Membership, 'user_reference' | 'roles' | 'user_group' | 'groups'>
  session_id: string
  status_code: number
  /** Why it was refused; null: it was not. */
  denial_reason: string | null
}

type Caller = Pick<Context, 'ip' | 'request_id' | 'now'> & { browser: string | undefined }

/** An audit entry of somebody whom the wrapper of authenticated calls does not know (yet). */
export async function activityEntry(
  access: AccessCache,
  caller: Caller,
  activity: Activity,
): Promise<AuditEntry> {
  const { client, membership } = activity
  const { client_id, access_epoch } = client
  return {
    log_id: newLogId(),
    caller: {
      kind: 'portal',
      client_id,
      client: client.client,
      client_name: client.client_name,
      session_id: activity.session_id,
      ...membership,
      group_id: await access.groupIdOf(client_id, access_epoch, membership.user_group),
      group_references: membership.groups,
      access: await access.accessOf({
        client_id,
        epoch: access_epoch,
        roles: membership.roles,
        groups: membership.groups,
        ip: caller.ip,
      }),
      terms_accepted_at: null,
      session_expires_at: caller.now,
      is_provider: false,
    },
    ip: caller.ip,
    browser: caller.browser?.slice(0, 255),
    activity_time: caller.now,
    activity_end_time: caller.now,
    duration: 0,
    action: activity.action,
    is_allowed: activity.denial_reason === null,
    denial_reason: activity.denial_reason,
    parameters: '{}',
    status_code: activity.status_code,
    request_id: caller.request_id,
  }
}

/** The caller of a call that needs no authentication. */
export const callerOf = ({ ip, request_id, now, request }: Context): Caller => ({
  ip,
  request_id,
  now,
  browser: request.headers['user-agent'],
})

/** Writes refusals of the embedded provider's sign-in page into the audit log of the person's client. */
export function refusalRecorder(
  ctx: AppContext,
  access: AccessCache,
): (refused: RefusedSignIn) => Promise<void> {
  return async ({ client: reference, user_reference, ip, browser, reason }) => {
    const client = await findClient(ctx.db, reference)
    if (!client) return
    const caller = { ip, browser, now: ctx.now(), request_id: newLogId() }
    const entry = await activityEntry(access, caller, {
      action: 'session:sign_in',
      client,
      membership: { user_reference, roles: [], user_group: null, groups: null },
      session_id: '',
      status_code: 401,
      denial_reason: `sign_in_refused: ${reason}`,
    })
    await ctx.audit.append(entry)
  }
}
