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

test('a pending playback starts once, and only in the player of its recording', () => {
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

test('a mounted player toggles on request until it is unmounted', () => {
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

test('a dropped pending playback does not start later', () => {
  const one = player()
  wishToHear('A')
  dropWish('A')
  hearWishes('A', one)()
  assert.deepEqual(one.heard, [])
})

test('a pending playback may start at a given second in a present or later player', () => {
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
