import type { DataStatus, PayloadState, PayloadType } from '@custodia/contract'
import type { Access } from '../access/evaluate.ts'
import { hasData } from '../can/payload.ts'

export type DataRequest = {
  /** `payloads:play` or `payloads:download`. */
  action: string
  /** A second required action. */
  also?: string | undefined
  access: Pick<Access, 'permits'>
  /** Undefined when the caller's client has no such payload, whatever other clients have. */
  payload: { group_id: number | null; payload_type: PayloadType; payload_state: PayloadState } | undefined
}

/**
 * Whether a caller gets the data, and why not. It checks NoMatchingRecord, GroupNotAuthorised, TypeNotAuthorised,
 * NoS3Url, Ok in this order, so that a caller without the right learns nothing about the state.
 */
export function dataStatus({ action, also, access, payload }: DataRequest): DataStatus {
  if (!payload) return 'NoMatchingRecord'
  const { group_id, payload_type } = payload
  const permits = (place: { group_id: number | null; payload_type?: PayloadType }) =>
    access.permits(action, place) && (also === undefined || access.permits(also, place))
  if (!permits({ group_id })) return 'GroupNotAuthorised'
  if (!permits({ group_id, payload_type })) return 'TypeNotAuthorised'
  return hasData(payload) ? 'Ok' : 'NoS3Url'
}
