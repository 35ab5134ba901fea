import { DATA_ADDRESS_SECONDS, type DataStatus, type PayloadDataAnswer } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import { findAskedReasons } from '../../access/access-days-store.ts'
import { assertReason } from '../../access/note-access.ts'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { Problem } from '../../http/problem.ts'
import { attachmentKind, ORIGINAL, PLAYBACK, WHOLE_TEXT, type StoredObject } from '../data-objects.ts'
import { type DataSubject, findDataSubjects } from '../store.ts'
import { type Addresses, makeAddresses } from './address.ts'
import { type GivenAddress, insertAddresses } from './find-address-store.ts'

export const ADDRESS_SECRET = 'data-addresses'

/** Which files of a payload an export contains. */
export interface ExportedFiles {
  originals: boolean
  /** What browsers can play, where it is another file. */
  playable: boolean
}

interface DataCall {
  action: 'play' | 'download'
  /** A further action that is needed. */
  also?: string | undefined
  /** An attachment, or the full text of a long message; absent: the whole payload. */
  part?: number | 'text' | undefined
  /** Of an export. */
  files?: ExportedFiles | undefined
  export_id?: string | undefined
  reason?: string | undefined
}

/** An address for one payload. Problem: not_found, when it is not visible; other refusals are a status. */
export function readPayloadData(ctx: AppContext): Handler<'readPayloadData'> {
  return async (context, { params, query }) => {
    const [answer] = await answers(ctx, context, query, [params.payload_reference])
    if (!answer || answer.status === 'NoMatchingRecord' || answer.status === 'GroupNotAuthorised')
      throw new Problem('not_found', { detail: answer?.status ?? 'NoMatchingRecord' })
    return answer
  }
}

/** Addresses for many payloads, each with its own status. */
export function readData(ctx: AppContext): Handler<'readData'> {
  return async (context, { query }) => ({
    data: await answers(ctx, context, query, query.payload_references),
  })
}

async function answers(
  ctx: AppContext,
  context: PortalContext,
  call: DataCall,
  references: readonly string[],
): Promise<PayloadDataAnswer[]> {
  const sealed = makeAddresses(await ctx.keys.namedSecret(ADDRESS_SECRET))
  const validated = await validate(context, call, references)
  // The audit entry of the call and its addresses are written in one transaction.
  const given = validated.flatMap(({ addresses: [address] }) => address ?? [])
  if (given.length > 0) await context.write((tx) => insertAddresses(tx, given))
  return validated.map(({ payload_reference, status, addresses: [address], object }) => ({
    payload_reference,
    status,
    ...(address && publish(ctx, sealed, context.caller.client_id, address)),
    ...(object && { content_type: object.content_type }),
    ...(call.action === 'play' && object && isAwaitingRendition(object) ? { being_prepared: true } : {}),
  }))
}

/** The result for one payload of a call: `addresses` and the first `object` when its data is available. */
interface ValidatedPayload {
  payload_reference: string
  status: DataStatus
  addresses: GivenAddress[]
  object?: StoredObject
}

/** Checks each payload of a call and makes new addresses. Problem: reason_required. */
export async function validate(
  context: PortalContext,
  call: DataCall,
  references: readonly string[],
): Promise<ValidatedPayload[]> {
  const { access } = context.caller
  const subjects = await context.read(async (q) => {
    if (call.action === 'download') assertReason(await findAskedReasons(q), call.reason)
    return findDataSubjects(q, references)
  })
  return references.map((payload_reference) => {
    const subject = subjects.get(payload_reference)
    const status = dataStatus({
      action: `payloads:${call.action}`,
      also: call.also,
      access,
      payload: subject,
    })
    if (status !== 'Ok' || !subject) return { payload_reference, status, addresses: [] }
    const objects = call.files ? exportedObjects(subject, call.files) : [objectFor(subject, call)]
    const [object, ...others] = objects.flatMap((each) => each ?? [])
    if (!object) return { payload_reference, status: 'NoS3Url', addresses: [] }
    const addresses = [object, ...others].map((each) => addressFor(context, subject, each, call))
    return { payload_reference, status, object, addresses }
  })
}

/**
 * Playback: the rendition, when browsers cannot play the original. Download: always the device's own bytes.
 */
function objectFor({ objects }: DataSubject, { action, part }: DataCall): StoredObject | undefined {
  const ofKind = (kind: string) => objects.find((object) => object.kind === kind)
  if (part !== undefined) return ofKind(part === 'text' ? WHOLE_TEXT : attachmentKind(part))
  const original = ofKind(ORIGINAL)
  if (action === 'download' || original?.details.is_playable) return original
  return ofKind(PLAYBACK) ?? original
}

/** The files of a payload that an export contains. A playable original is its own copy. */
export function exportedObjects(
  { objects }: Pick<DataSubject, 'objects'>,
  { originals, playable }: ExportedFiles,
): StoredObject[] {
  const original = objects.find(({ kind }) => kind === ORIGINAL)
  const copy = original?.details.is_playable ? original : objects.find(({ kind }) => kind === PLAYBACK)
  return [...new Set([...(originals && original ? [original] : []), ...(playable && copy ? [copy] : [])])]
}

/**
 * Whether the original is issued for playback although browsers cannot play it, because its rendition is in
 * progress.
 */
const isAwaitingRendition = ({ details }: StoredObject): boolean =>
  details.being_prepared === true && details.is_playable !== true

function addressFor(
  { caller, now }: PortalContext,
  { payload_id }: DataSubject,
  { kind }: StoredObject,
  { action, reason, export_id }: DataCall,
): GivenAddress {
  return {
    address_id: newId(),
    payload_id,
    kind,
    action: `payloads:${action}`,
    portal_user: getActor(caller),
    session_id: caller.is_client_app ? null : caller.session_id,
    app_reference: caller.is_client_app ? caller.user_reference : null,
    support_reference: caller.support_reference ?? null,
    reason: reason ?? null,
    export_id: export_id ?? null,
    expires_at: now + DATA_ADDRESS_SECONDS,
  }
}

function publish(
  ctx: AppContext,
  addresses: Addresses,
  client_id: number,
  { address_id, expires_at }: GivenAddress,
) {
  const token = addresses.seal({ address_id, client_id, expires_at })
  return { s3_url: `${ctx.config.clientPortalUrl}/media/${token}`, expires_at }
}
