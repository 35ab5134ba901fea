import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropWish, hearWishes, positionIn, wishToHear } from './wished.ts'

function player() {
  const heard: string[] = []
  return {
    heard,
    play: () => void heard.push('play'),
    toggle: () => void heard.push('toggle'),
    seek: (seconds: number) => void heard.push(`seek ${seconds}`),
    view: () => ({ position: 7 }),
  }
}

test('a wish is heard once, and by its own recording only', () => {
  const [first, again, other, late] = [player(), player(), player(), player()]
  wishToHear('A')
  hearWishes('A', first)()
  hearWishes('A', again)()
  assert.deepEqual([first.heard, again.heard], [['play'], []])
  wishToHear('A')
  hearWishes('B', other)()
  hearWishes('A', late)()
  assert.deepEqual([other.heard, late.heard], [[], []])
})

test('a player on screen plays or pauses, until it is gone', () => {
  const [one, next] = [player(), player()]
  const leave = hearWishes('A', one)
  wishToHear('A')
  wishToHear('A')
  assert.deepEqual(one.heard, ['toggle', 'toggle'])
  // The next one may come before the last has gone.
  wishToHear('B')
  const leaveNext = hearWishes('B', next)
  leave()
  wishToHear('B')
  assert.deepEqual([one.heard.length, next.heard], [2, ['play', 'toggle']])
  leaveNext()
  wishToHear('B')
  assert.deepEqual(next.heard, ['play', 'toggle'])
})

test('a wish for what cannot be heard does not wait for the day when it can', () => {
  const one = player()
  wishToHear('A')
  dropWish('A')
  hearWishes('A', one)()
  assert.deepEqual(one.heard, [])
})

test('a wish may name the second from which to play, whether its player is there or comes', () => {
  const [one, later] = [player(), player()]
  const leave = hearWishes('A', one)
  wishToHear('A', 12)
  assert.deepEqual(one.heard, ['seek 12', 'play'])
  assert.deepEqual([positionIn('A'), positionIn('B')], [7, undefined])
  wishToHear('B', 0)
  leave()
  hearWishes('B', later)()
  assert.deepEqual(later.heard, ['seek 0', 'play'])
  assert.equal(positionIn('A'), undefined)
})
