import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropWish, hearWishes, wishToHear } from './wished.ts'

function player() {
  const heard: string[] = []
  return { heard, play: () => void heard.push('play'), toggle: () => void heard.push('toggle') }
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
