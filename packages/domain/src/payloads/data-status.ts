import type { DataStatus, PayloadState, PayloadType } from '@custodia/contract'
import type { Access } from '../access/evaluate.ts'
import { hasData } from '../can/payload.ts'

export type DataRequest = {
  /** `payloads:play` or `payloads:download`. */
  action: string
  access: Pick<Access, 'permits'>
  /** Undefined when the caller's client has no such payload, whatever other clients have. */
  payload: { group_id: number | null; payload_type: PayloadType; payload_state: PayloadState } | undefined
}

/**
 * Why data is or is not handed out, checked in the order NoMatchingRecord, GroupNotAuthorised, TypeNotAuthorised,
 * NoS3Url, Ok: who lacks the right learns nothing about the state.
 */
export function dataStatus({ action, access, payload }: DataRequest): DataStatus {
  if (!payload) return 'NoMatchingRecord'
  const { group_id, payload_type } = payload
  if (!access.permits(action, { group_id })) return 'GroupNotAuthorised'
  if (!access.permits(action, { group_id, payload_type })) return 'TypeNotAuthorised'
  return hasData(payload) ? 'Ok' : 'NoS3Url'
}
