import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import {
  APPROVAL_STATES,
  type ApprovalState,
  HOUR,
  type Payload,
  PAYLOAD_STATES,
  PAYLOAD_TYPES,
} from '@custodia/contract'
import { hasData, hasOriginal, liesWithin, obstacleTo, takesComments } from './payload.ts'
import {
  latestApprovalExpiry,
  stateAt,
  SUPPORT_TRANSITIONS,
  type SupportAction,
  type SupportFacts,
  supportObstacle,
  type SupportRequest,
  transition,
} from './support-request.ts'

const playable = {
  content_type: 'audio/mp4',
  size: 1,
  is_playable: true,
  has_peaks: true,
  being_prepared: false,
}

test('only processed and transferred payloads have data', () => {
  const free = PAYLOAD_STATES.filter(
    (payload_state) => obstacleTo({ payload_type: 'Call', payload_state }, PAYLOAD_TYPES) === undefined,
  )
  assert.deepEqual(free, ['Processed', 'Transferred'])
})

test('the server and the portal agree on which payloads have data', () => {
  for (const payload_type of PAYLOAD_TYPES)
    for (const payload_state of PAYLOAD_STATES) {
      const payload = { payload_type, payload_state }
      assert.equal(hasData(payload), hasOriginal(obstacleTo(payload, PAYLOAD_TYPES)))
    }
})

test('blocked and aborted calls report not recorded, failed or pending', () => {
  for (const payload_type of ['AbortedCall', 'BlockedCall'] as const) {
    const obstacle = (payload_state: Payload['payload_state']) =>
      obstacleTo({ payload_type, payload_state }, PAYLOAD_TYPES)
    assert.equal(obstacle('NotRecorded'), 'not_recorded')
    assert.equal(obstacle('Failed'), 'failed')
    assert.equal(obstacle('Scanning'), 'on_its_way')
    assert.equal(obstacle('Processed'), 'not_recorded')
  }
})

test('a payload in preparation can be downloaded, and a playable one does not wait', () => {
  const media = { ...playable, being_prepared: true }
  const payload = { payload_type: 'Call', payload_state: 'Processed' } as const
  const obstacle = obstacleTo({ ...payload, media: { ...media, is_playable: false } }, PAYLOAD_TYPES)
  assert.equal(obstacle, 'being_prepared')
  assert.equal(hasOriginal(obstacle), true)
  assert.equal(obstacleTo({ ...payload, media }, PAYLOAD_TYPES), undefined)
})

test('every payload except a destroyed one takes comments', () => {
  assert.deepEqual(
    PAYLOAD_STATES.filter((payload_state) => !takesComments({ payload_state })),
    ['Destroyed'],
  )
})

test('a commented part must end within its recording, to the millisecond', () => {
  assert.equal(liesWithin({ start_time: 12, duration: 0 }, 12), true)
  assert.equal(liesWithin({ start_time: 0, duration: 12.345 }, 12.345), true)
  assert.equal(liesWithin({ start_time: 0, duration: 12.346 }, 12.345), false)
  assert.equal(liesWithin({ start_time: 12.001, duration: 0 }, 12), false)
  // In floating point 0.1 + 0.2 is more than 0.3; the comparison is in milliseconds.
  assert.equal(liesWithin({ start_time: 0.1, duration: 0.2 }, 0.3), true)
})

test('a payload without playback has no parts', () => {
  assert.equal(liesWithin({ start_time: 0, duration: 0 }, undefined), false)
})

const NOW = 1_800_000_000
const WEEK = 7 * 86_400
const request = (approval_state: ApprovalState, rest: Partial<SupportRequest> = {}): SupportRequest => ({
  approval_state,
  requested_by: 'erin',
  requested_expiry: NOW + 2 * HOUR,
  approval_expiry: approval_state === 'pending' ? null : NOW + HOUR,
  ...rest,
})
const facts = (rest: Partial<SupportFacts> = {}): SupportFacts => ({
  now: NOW,
  by: 'alice',
  approval_expiry: NOW + HOUR,
  rejection_reason: 'Not needed',
  ...rest,
})
const REQUESTS = Object.keys(SUPPORT_TRANSITIONS) as SupportAction[]
const getCode = (...args: Parameters<typeof transition>) => {
  const found = transition(...args)
  return found.ok ? found.approval_state : found.code
}

describe('states of support access', () => {
  it('change only by the allowed action in the allowed state', () => {
    const table = APPROVAL_STATES.flatMap((state) =>
      REQUESTS.map((input) => {
        const by = input === 'cancel' ? 'erin' : 'alice'
        return `${state} ${input} ${getCode(request(state), input, facts({ by }))}`
      }),
    ).filter((row) => !row.endsWith(' wrong_state'))
    assert.deepEqual(table, [
      'pending approve approved',
      'pending reject rejected',
      'pending cancel canceled',
      'approved revoke revoked',
    ])
  })
  it('expire on their own at the exact second', () => {
    assert.equal(stateAt(request('pending'), NOW + 2 * HOUR - 1), 'pending')
    assert.equal(stateAt(request('pending'), NOW + 2 * HOUR), 'expired')
    assert.equal(stateAt(request('approved'), NOW + HOUR - 1), 'approved')
    assert.equal(stateAt(request('approved'), NOW + HOUR), 'expired')
    assert.equal(stateAt(request('approved', { requested_expiry: NOW }), NOW), 'expired')
    assert.equal(stateAt(request('approved', { approval_expiry: null }), NOW), 'expired')
    for (const state of ['canceled', 'rejected', 'revoked', 'expired'] as const) {
      assert.equal(stateAt(request(state), NOW + WEEK), state)
    }
  })
  it('cannot change once expired, even if the expiry is not stored', () => {
    for (const input of REQUESTS) {
      for (const state of ['pending', 'approved'] as const) {
        const by = input === 'cancel' ? 'erin' : 'alice'
        const late = facts({ by, now: NOW + 3 * HOUR, approval_expiry: NOW + 4 * HOUR })
        assert.equal(getCode(request(state), input, late), 'wrong_state')
      }
    }
  })
})

describe('starting support mode', () => {
  const start = (given: SupportRequest, by = 'erin', now = NOW) =>
    supportObstacle(given, 'start', { now, by })
  it('is permitted to the requester until the approval or the requested time ends', () => {
    assert.deepEqual(
      APPROVAL_STATES.filter((state) => start(request(state)) === undefined),
      ['approved'],
    )
    assert.equal(start(request('approved'), 'dave'), 'not_requester')
    assert.equal(start(request('approved'), 'erin', NOW + HOUR - 1), undefined)
    assert.equal(start(request('approved'), 'erin', NOW + HOUR), 'wrong_state')
    // The portal went by the approval's own end, and offered what the server refused.
    const shortened = request('approved', { approval_expiry: NOW + 3 * HOUR })
    assert.equal(start(shortened, 'erin', NOW + 2 * HOUR), 'wrong_state')
  })
})

describe('approving support access', () => {
  it('is refused to the requester, whatever they are called in the client', () => {
    const approve = (by: string, is_requester: boolean) =>
      getCode(request('pending'), 'approve', facts({ by, is_requester, approval_expiry: NOW + HOUR }))
    assert.equal(approve('other name', true), 'self_approval')
    assert.equal(approve('erin', false), 'approved')
  })
  it('needs an expiry in the future within the requested time and seven days', () => {
    const approve = (approval_expiry: number | undefined, requested_expiry = NOW + 30 * 86_400) =>
      getCode(request('pending', { requested_expiry }), 'approve', facts({ approval_expiry }))
    assert.equal(approve(undefined), 'expiry_required')
    assert.equal(approve(NOW), 'expiry_in_past')
    assert.equal(approve(NOW + 1), 'approved')
    assert.equal(approve(NOW + WEEK), 'approved')
    assert.equal(approve(NOW + WEEK + 1), 'expiry_too_late')
    assert.equal(approve(NOW + HOUR, NOW + HOUR), 'approved')
    assert.equal(approve(NOW + HOUR + 1, NOW + HOUR), 'expiry_too_late')
    assert.equal(latestApprovalExpiry(request('pending'), NOW), NOW + 2 * HOUR)
  })
})

describe('rejecting support access', () => {
  it('needs a reason', () => {
    for (const rejection_reason of [undefined, '', '  ']) {
      assert.equal(getCode(request('pending'), 'reject', facts({ rejection_reason })), 'reason_required')
    }
  })
})
