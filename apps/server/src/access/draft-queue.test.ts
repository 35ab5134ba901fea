import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { Problem } from '../http/problem.ts'
import { takeTurns } from './draft-queue.ts'

/** Works that end when they are let, and the order in which they began. */
function workshop(limits = { per_client: 3, in_all: 5 }) {
  const takeTurn = takeTurns(limits)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    bring: (client_id: number, name: string) =>
      takeTurn(client_id, () => {
        begun.push(name)
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
      }),
    end: async (name: string) => {
      ends.get(name)?.()
      await setImmediate()
    },
  }
}

const codeOf = (refused: Promise<unknown>) =>
  refused.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  )

describe('works of several clients', () => {
  it('are done one at a time, the clients in turns', async () => {
    const { begun, bring, end } = workshop()
    const all = [
      bring(1, 'a1'),
      bring(1, 'a2'),
      bring(1, 'a3'),
      bring(2, 'b1'),
      bring(3, 'c1'),
      bring(2, 'b2'),
    ]
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      assert.equal(begun.at(-1), name)
      await end(name)
    }
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
  })

  it('that are too many for a client, or in all, are refused; later there is room again', async () => {
    const { begun, bring, end } = workshop()
    const kept = ['a1', 'a2', 'a3', 'a4'].map((name) => bring(1, name))
    assert.equal(await codeOf(bring(1, 'a5')), 'too_many_requests')
    kept.push(bring(2, 'b1'), bring(3, 'c1'))
    assert.equal(await codeOf(bring(4, 'd1')), 'unavailable')
    await end('a1')
    kept.push(bring(4, 'd2'))
    for (const name of ['a2', 'b1', 'c1', 'a3', 'd2', 'a4']) await end(name)
    assert.equal((await Promise.all(kept)).length, 7)
    assert.equal(begun.length, 7)
    void bring(1, 'again')
    assert.equal(begun.at(-1), 'again')
  })

  it('go on after one has failed', async () => {
    const takeTurn = takeTurns({ per_client: 3, in_all: 3 })
    const failing = takeTurn(1, () => Promise.reject(new Error('broken')))
    const next = takeTurn(1, async () => 'done')
    await assert.rejects(failing, /broken/)
    assert.equal(await next, 'done')
  })
})
