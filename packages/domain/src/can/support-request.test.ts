import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { APPROVAL_STATES, type ApprovalState } from '@custodia/contract'
import fc from 'fast-check'
import {
  latestApprovalExpiry,
  stateAt,
  SUPPORT_TRANSITIONS,
  type SupportFacts,
  supportObstacle,
  type SupportRequest,
  type SupportAction,
  transition,
} from './support-request.ts'

const NOW = 1_800_000_000
const HOUR = 3600
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
const codeOf = (...args: Parameters<typeof transition>) => {
  const found = transition(...args)
  return found.ok ? found.approval_state : found.code
}

describe('states of support access', () => {
  it('change only by the allowed action in the allowed state', () => {
    const table = APPROVAL_STATES.flatMap((state) =>
      REQUESTS.map((input) => {
        const by = input === 'cancel' ? 'erin' : 'alice'
        return `${state} ${input} ${codeOf(request(state), input, facts({ by }))}`
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
        assert.equal(codeOf(request(state), input, late), 'wrong_state')
      }
    }
  })
})

describe('cancelling a request', () => {
  it('is permitted to the requester only', () => {
    assert.equal(codeOf(request('pending'), 'cancel', facts({ by: 'erin' })), 'canceled')
    assert.equal(codeOf(request('pending'), 'cancel', facts({ by: 'dave' })), 'not_requester')
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
      codeOf(request('pending'), 'approve', facts({ by, is_requester, approval_expiry: NOW + HOUR }))
    assert.equal(approve('other name', true), 'self_approval')
    assert.equal(approve('erin', false), 'approved')
  })
  it('needs an expiry in the future within the requested time and seven days', () => {
    const approve = (approval_expiry: number | undefined, requested_expiry = NOW + 30 * 86_400) =>
      codeOf(request('pending', { requested_expiry }), 'approve', facts({ approval_expiry }))
    assert.equal(approve(undefined), 'expiry_required')
    assert.equal(approve(NOW), 'expiry_in_past')
    assert.equal(approve(NOW + 1), 'approved')
    assert.equal(approve(NOW + WEEK), 'approved')
    assert.equal(approve(NOW + WEEK + 1), 'expiry_too_late')
    assert.equal(approve(NOW + HOUR, NOW + HOUR), 'approved')
    assert.equal(approve(NOW + HOUR + 1, NOW + HOUR), 'expiry_too_late')
    assert.equal(latestApprovalExpiry(request('pending'), NOW), NOW + 2 * HOUR)
  })
  it('never lasts longer than requested or seven days', () => {
    const time = fc.integer({ min: NOW - WEEK, max: NOW + 5 * WEEK })
    fc.assert(
      fc.property(time, time, time, (requested_expiry, approval_expiry, at) => {
        const pending = request('pending', { requested_expiry })
        const found = transition(pending, 'approve', facts({ approval_expiry }))
        if (!found.ok) return
        const approved = { ...pending, approval_state: found.approval_state, approval_expiry }
        if (stateAt(approved, at) !== 'approved') return
        assert.ok(at < approval_expiry && at < requested_expiry && at < NOW + WEEK)
      }),
    )
  })
})

describe('rejecting support access', () => {
  it('needs a reason', () => {
    for (const rejection_reason of [undefined, '', '  ']) {
      assert.equal(codeOf(request('pending'), 'reject', facts({ rejection_reason })), 'reason_required')
    }
  })
})
