import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Problem } from '../http/problem.ts'
import { allow, roleInput } from '../testing/access-fixture.ts'
import { takeTurns, type Turn } from './draft-queue.ts'
import { compileDraft } from './drafts.ts'
import { compileRights, type Rights } from './rights.ts'

/** Works that end when they are let, and the order in which they began. */
function workshop(limits = { per_client: 3, in_all: 5 }) {
  const takeTurn = takeTurns(limits)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    upload: (client_id: number, name: string, turn: Partial<Turn> = {}) =>
      takeTurn({ client_id, person: 'ann', kind: 'save', ...turn }, () => {
        begun.push(name)
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
      }),
    end: async (name: string) => {
      ends.get(name)?.()
      await setImmediate()
    },
  }
}

const getCode = (refused: Promise<unknown>) =>
  refused.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  )

describe('the draft queue', () => {
  it('runs one job at a time and alternates between clients', async () => {
    const { begun, upload, end } = workshop()
    const all = [
      upload(1, 'a1'),
      upload(1, 'a2'),
      upload(1, 'a3'),
      upload(2, 'b1'),
      upload(3, 'c1'),
      upload(2, 'b2'),
    ]
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      assert.equal(begun.at(-1), name)
      await end(name)
    }
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
  })

  it('refuses jobs above the limit of a client or of all clients, until jobs end', async () => {
    const { begun, upload, end } = workshop()
    const kept = ['a1', 'a2', 'a3', 'a4'].map((name) => upload(1, name))
    assert.equal(await getCode(upload(1, 'a5')), 'too_many_requests')
    kept.push(upload(2, 'b1'), upload(3, 'c1'))
    assert.equal(await getCode(upload(4, 'd1')), 'unavailable')
    await end('a1')
    kept.push(upload(4, 'd2'))
    for (const name of ['a2', 'b1', 'c1', 'a3', 'd2', 'a4']) await end(name)
    assert.equal((await Promise.all(kept)).length, 7)
    assert.equal(begun.length, 7)
    void upload(1, 'again')
    assert.equal(begun.at(-1), 'again')
  })

  it('runs the next job after one has failed', async () => {
    const takeTurn = takeTurns({ per_client: 3, in_all: 3 })
    const turn: Turn = { client_id: 1, person: 'ann', kind: 'save' }
    const failing = takeTurn(turn, () => Promise.reject(new Error('broken')))
    const next = takeTurn(turn, async () => 'done')
    await assert.rejects(failing, /broken/)
    assert.equal(await next, 'done')
  })
})

describe('reviews in the draft queue', () => {
  const by = (person: string): Partial<Turn> => ({ person, kind: 'review' })

  it('wait one per person, and a newer review replaces the waiting one', async () => {
    const { begun, upload, end } = workshop()
    const all = [upload(1, 'ann1', by('ann')), upload(1, 'ann2', by('ann')), upload(1, 'bob1', by('bob'))]
    const newer = upload(1, 'ann3', by('ann'))
    assert.equal(await getCode(all[1] ?? newer), 'too_many_requests')
    // The same name in another client is another person.
    const other = upload(2, 'ann4', by('ann'))
    for (const name of ['ann1', 'ann3', 'ann4', 'bob1']) {
      assert.equal(begun.at(-1), name)
      await end(name)
    }
    assert.deepEqual(await Promise.all([newer, other]), ['ann3', 'ann4'])
    assert.equal(begun.length, 4)
  })

  it('wait until the saves of their client are done, and never block a save', async () => {
    const { begun, upload, end } = workshop({ per_client: 2, in_all: 2 })
    const all = [upload(1, 'r0', by('zoe')), upload(1, 'r1', by('ann')), upload(1, 'r2', by('bob'))]
    assert.equal(await getCode(upload(1, 'r3', by('cho'))), 'too_many_requests')
    assert.equal(await getCode(upload(2, 'r4', by('ann'))), 'unavailable')
    all.push(upload(1, 's1'), upload(1, 's2'))
    assert.equal(await getCode(upload(1, 's3')), 'too_many_requests')
    for (const name of ['r0', 's1', 's2', 'r1', 'r2']) {
      assert.equal(begun.at(-1), name)
      await end(name)
    }
    assert.equal((await Promise.all(all)).length, 5)
    all.push(upload(2, 'again', by('ann')))
    assert.equal(begun.at(-1), 'again', 'what was refused or replaced is not counted')
  })

  it('do not delay the next save of another person, however many there are', async () => {
    const { begun, upload, end } = workshop()
    const flood = Array.from({ length: 20 }, (_, i) => getCode(upload(1, `r${i}`, by('mallory'))))
    const saved = upload(1, 'save', { person: 'alice' })
    flood.push(getCode(upload(1, 'r20', by('mallory'))))
    await end('r0')
    await end('save')
    assert.equal(await saved, 'save')
    await end('r20')
    const codes = await Promise.all(flood)
    assert.deepEqual(begun, ['r0', 'save', 'r20'])
    assert.equal(codes.filter((code) => code === 'too_many_requests').length, 19)
  })
})

const turn = (client_id: number): Turn => ({ client_id, person: 'ann', kind: 'save' })
const groups = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ group_id: i + 1, group_reference: `Group ${i}`, tags: [] }))
const getRights = (n: number): Rights =>
  compileRights({
    epoch: 1,
    is_provider: false,
    groups: groups(n),
    roles: [],
    role_changes: new Map(),
    default_role: null,
    contact: null,
    reasons: null,
    cidr_ranges: [],
  })
const role = (role_reference: string, ...permissions: Parameters<typeof roleInput>[0][number][]) => ({
  role_reference,
  ...roleInput(permissions),
  is_system: false,
})

describe('drafts of roles', () => {
  it('compile to the same result as the saved role', async () => {
    const rights = getRights(50)
    const draft = role('Draft', {
      actions_matching: ['payloads:*'],
      conditions: [{ names_matching: ['Group .?7'], is_regex: true }],
    })
    const { compiled, preview } = await compileDraft(turn(1), draft, rights)
    const saved = compileRights({ ...rights.source, roles: [draft] }, rights).roles.get('Draft')
    assert.deepEqual({ ...compiled, groupIndex: undefined }, { ...saved, groupIndex: undefined })
    assert.equal(compiled.groupIndex, rights.groupIndex)
    assert.deepEqual(preview.groups.count, 5)
  })

  it('are not compiled again when they are saved, unless groups or permissions change', async () => {
    const rights = getRights(20)
    const document = role('Draft', allow('payloads:list'))
    const { compiled } = await compileDraft(turn(1), document, rights)
    const stored = { ...rights.source, roles: [document] }
    const saved = { document, compiled }
    const found = (source: Rights['source']) => compileRights(source, rights, saved).roles.get('Draft')
    assert.equal(found(stored), compiled)
    assert.notEqual(found({ ...stored, groups: groups(21) }), compiled)
    const other = role('Draft', allow('payloads:play'))
    assert.deepEqual([...(found({ ...stored, roles: [other] })?.allow.keys() ?? [])], ['payloads:play'])
  })

  it('count only the groups of the client that they belong to', async () => {
    const [few, many] = [getRights(3), getRights(300)]
    const draft = role('Draft', {
      actions_matching: ['payloads:list'],
      conditions: [{ names_matching: ['*'] }],
    })
    const counts = await Promise.all(
      [few, many, few, many].map(
        async (rights) => (await compileDraft(turn(1), draft, rights)).preview.groups.count,
      ),
    )
    assert.deepEqual(counts, [3, 300, 3, 300])
  })

  it('are rejected as too complex when they compile too slowly, and others still compile', async () => {
    const rights = getRights(10_000)
    const slow = role(
      'Slow',
      ...Array.from({ length: 20 }, () => ({
        actions_matching: ['payloads:list'],
        conditions: [
          {
            is_regex: true,
            names_matching: Array.from({ length: 40 }, (_, i) => `(.*${i}){2}(.{0,20}x){3}|.*Z`),
          },
        ],
      })),
    )
    const [late, next] = await Promise.all([
      compileDraft(turn(1), slow, rights, 200),
      compileDraft(turn(2), role('Next', allow('payloads:list')), rights),
    ])
    assert.deepEqual(
      late.preview.problems.map(({ path, code }) => [path, code]),
      [['permissions', 'pattern_too_complex']],
    )
    assert.equal(late.compiled.allow.size, 0)
    assert.equal(next.preview.groups.count, 10_000)
  })
})
