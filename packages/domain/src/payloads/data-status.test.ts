import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PAYLOAD_STATES } from '@custodia/contract'
import type { PayloadState, PayloadType } from '@custodia/contract'
import type { Target } from '../access/evaluate.ts'
import { hasData } from '../can/payload.ts'
import { dataStatus } from './data-status.ts'

describe('data status', () => {
  /** May play Calls and SMS in group 1. */
  const access = {
    permits: (action: string, { group_id, payload_type }: Target) =>
      action === 'payloads:play' &&
      group_id === 1 &&
      (payload_type === undefined || ['Call', 'SMS'].includes(payload_type)),
  }
  const status = (
    group_id: number,
    payload_type: PayloadType,
    payload_state: PayloadState,
    action = 'payloads:play',
  ) => dataStatus({ action, access, payload: { group_id, payload_type, payload_state } })

  it('names the first obstacle', () => {
    assert.equal(dataStatus({ action: 'payloads:play', access, payload: undefined }), 'NoMatchingRecord')
    assert.equal(status(2, 'Photo', 'Recorded'), 'GroupNotAuthorised')
    assert.equal(status(1, 'Photo', 'Recorded'), 'TypeNotAuthorised')
    assert.equal(status(1, 'Call', 'Recorded'), 'NoS3Url')
    assert.equal(status(1, 'Call', 'Processed'), 'Ok')
  })
  it('separates playing from downloading', () => {
    assert.equal(status(1, 'Call', 'Processed', 'payloads:download'), 'GroupNotAuthorised')
  })
  it('has data only for processed and transferred payloads', () => {
    const open = PAYLOAD_STATES.filter((payload_state) => hasData({ payload_state, payload_type: 'Call' }))
    assert.deepEqual(open, ['Processed', 'Transferred'])
  })
  it('never has data for blocked and aborted calls', () => {
    for (const payload_type of ['BlockedCall', 'AbortedCall'] as const) {
      for (const payload_state of PAYLOAD_STATES)
        assert.equal(hasData({ payload_state, payload_type }), false)
    }
  })
})
