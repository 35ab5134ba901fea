import type { KeyObject } from 'node:crypto'
import {
  SUPPORT_ACTIONS,
  SUPPORT_REPORT_FORMAT,
  type SupportAccess,
  SupportReport,
  type SupportSession,
} from '@custodia/contract'
import { compileNetworks, evaluate } from '@custodia/domain'
import type { AccessCache } from '../access/load.ts'
import { readBareSupportSteps, readSupportMarks, readSupportSteps } from '../activities/store.ts'
import type { AppContext } from '../app-context.ts'
import type { PortalContext } from '../http/context.ts'
import { PreparedJson } from '../http/prepared-json.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { checkSigned, type SignedKind, signReport } from '../ports/keys/signed-file.ts'
import { findSupportAccess, shown } from './store.ts'

interface Question {
  request_reference: string
  now: number
  /** Who reads within the client; undefined: the provider, who sees no names of the client. */
  reader: Pick<PortalContext, 'caller'> | undefined
}

/** A request with what its role permits, and with all steps under it. Problem: not_found. */
export async function readSession(
  q: Queryable,
  access: AccessCache,
  { request_reference, now, reader }: Question,
): Promise<SupportSession> {
  const found = await findSupportAccess(q, q.client_id, request_reference)
  if (!found) throw new Problem('not_found', { detail: 'no such request' })
  const marks = await readSupportMarks(q, found)
  const request = shown(found, now)
  return {
    request,
    ...(await getRights(q.client_id, access, request.role)),
    started_at: marks.find(({ is_start }) => is_start)?.at ?? null,
    seconds: secondsInSupportMode(marks, getEnd(request, now)),
    ...(await (reader ? readSupportSteps(q, found, reader) : readBareSupportSteps(q, found))),
  }
}

/** Signs what a session says at a moment. Prepared, because a name that is added later would break the signature. */
export async function signedReport(
  keys: AppContext['keys'],
  { client, now, session }: { client: string; now: number; session: SupportSession },
): Promise<PreparedJson<SupportReport>> {
  // Canonical JSON has whole numbers only.
  const steps = session.steps.map((step) => ({
    ...step,
    duration: step.duration && Math.ceil(step.duration),
  }))
  const report = {
    format: SUPPORT_REPORT_FORMAT,
    client,
    issued_at: now,
    session: { ...session, steps },
  } as const
  return new PreparedJson(JSON.stringify(await signReport(keys, report)))
}

const KIND: SignedKind<'report', SupportReport['report']> = {
  member: 'report',
  format: SUPPORT_REPORT_FORMAT,
  isWhole: (file): file is SupportReport => SupportReport.safeParse(file).success,
}

/** Verifies a report of a support session against public keys, offline. */
export const checkSupportReport = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)

const ANYWHERE = compileNetworks([])

/** What support mode permits under a role, whatever network it comes from. */
async function getRights(client_id: number, access: AccessCache, reference: string) {
  const rights = await access.presentRights({ client_id })
  const role = rights.roles.get(reference)
  const roles = role ? [{ ...role, networks: ANYWHERE }] : []
  const found = evaluate({ roles, ip: '', actions: SUPPORT_ACTIONS }, { networks: ANYWHERE })
  return { actions: found.actions(), payload_types: found.payload_types }
}

const getEnd = (request: SupportAccess, now: number): number =>
  request.approval_state === 'revoked'
    ? request.updated_at
    : Math.min(now, request.requested_expiry, request.approval_expiry ?? now)

/**
 * Seconds between starts and ends of support mode. A mode that staff did not end lasts until `end`.
 * @param marks in order
 */
export function secondsInSupportMode(
  marks: readonly { at: number; is_start: boolean }[],
  end: number,
): number {
  let seconds = 0
  let since: number | undefined
  for (const { at, is_start } of marks) {
    if (is_start) since ??= at
    else if (since !== undefined) {
      seconds += Math.max(0, Math.min(at, end) - since)
      since = undefined
    }
  }
  return since === undefined ? seconds : seconds + Math.max(0, end - since)
}
