import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PROPOSAL_STATES } from '@custodia/contract'
import fc from 'fast-check'
import {
  moveProposal,
  PROPOSAL_SECONDS,
  type Proposal,
  type ProposalFacts,
  type ProposalParty,
  type ProposalAction,
} from './proposal.ts'

const T = 1_000_000
const who = fc.constantFrom('ana', 'bia', 'caio')
const party = fc.record<ProposalParty>({
  by: who,
  kind: fc.constantFrom('person', 'person', 'app'),
  may_act: fc.boolean(),
})
const request = fc.constantFrom<ProposalAction>('confirm', 'reject', 'withdraw')
const facts = fc.record<ProposalFacts>({
  now: fc.integer({ min: T, max: T + 2 * PROPOSAL_SECONDS }),
  reason: fc.constantFrom(undefined, '', '  ', 'wrong case'),
  is_current: fc.constantFrom(undefined, false, true),
})
const proposal = fc.record<Proposal>({
  state: fc.constantFrom(...PROPOSAL_STATES),
  proposed_by: who,
  proposed_at: fc.constant(T),
})
const runs = { numRuns: 2000 }

describe('a proposal', () => {
  it('runs only when another permitted person confirms it in time and nothing has changed', () => {
    fc.assert(
      fc.property(proposal, request, party, facts, (it, wanted, actor, at) => {
        const moved = moveProposal(it, wanted, actor, at)
        const acts =
          wanted === 'confirm' &&
          it.state === 'waiting' &&
          at.now < T + PROPOSAL_SECONDS &&
          actor.kind === 'person' &&
          actor.may_act &&
          actor.by !== it.proposed_by &&
          at.is_current === true
        assert.equal(moved.ok && moved.acts, acts)
        assert.equal(moved.ok && moved.state === 'confirmed', acts)
      }),
      runs,
    )
  })

  it('runs at most once and stays in its final state', () => {
    fc.assert(
      fc.property(
        who,
        fc.array(fc.tuple(request, party, facts), { maxLength: 12 }),
        (proposed_by, requests) => {
          let it: Proposal = { state: 'waiting', proposed_by, proposed_at: T }
          let [acts, ends] = [0, 0]
          for (const [wanted, actor, at] of requests) {
            const moved = moveProposal(it, wanted, actor, at)
            if (!moved.ok) continue
            it = { ...it, state: moved.state }
            ends += 1
            if (moved.acts) acts += 1
          }
          assert.ok(acts <= 1 && ends <= 1)
          assert.equal(acts === 1, it.state === 'confirmed')
        },
      ),
      runs,
    )
  })

  it('is withdrawn by its proposer only, and rejected only with a reason', () => {
    const it: Proposal = { state: 'waiting', proposed_by: 'ana', proposed_at: T }
    const [ana, bia] = (['ana', 'bia'] as const).map((by) => ({
      by,
      kind: 'person' as const,
      may_act: by === 'bia',
    }))
    assert.ok(ana && bia)
    assert.deepEqual(moveProposal(it, 'withdraw', ana, { now: T }), {
      ok: true,
      state: 'withdrawn',
      acts: false,
    })
    assert.deepEqual(moveProposal(it, 'withdraw', bia, { now: T }), { ok: false, code: 'not_proposer' })
    assert.deepEqual(moveProposal(it, 'reject', bia, { now: T, reason: ' ' }), {
      ok: false,
      code: 'reason_required',
    })
    assert.ok(moveProposal(it, 'reject', bia, { now: T, reason: 'wrong case' }).ok)
  })
})
