import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  dropPlaybackRequest,
  followPlayback,
  onPlaybackRequest,
  positionIn,
  requestPlayback,
} from './pending-playback.ts'

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
  requestPlayback('A')
  onPlaybackRequest('A', first)()
  onPlaybackRequest('A', again)()
  assert.deepEqual([first.heard, again.heard], [['play'], []])
  requestPlayback('A')
  onPlaybackRequest('B', other)()
  onPlaybackRequest('A', late)()
  assert.deepEqual([other.heard, late.heard], [[], []])
})

test('a mounted player toggles on request until it is unmounted', () => {
  const [one, next] = [player(), player()]
  const leave = onPlaybackRequest('A', one)
  requestPlayback('A')
  requestPlayback('A')
  assert.deepEqual(one.heard, ['toggle', 'toggle'])
  // The next player may mount before the last one unmounts.
  requestPlayback('B')
  const leaveNext = onPlaybackRequest('B', next)
  leave()
  requestPlayback('B')
  assert.deepEqual([one.heard.length, next.heard], [2, ['play', 'toggle']])
  leaveNext()
  requestPlayback('B')
  assert.deepEqual(next.heard, ['play', 'toggle'])
})

test('a dropped pending playback does not start later', () => {
  const one = player()
  requestPlayback('A')
  dropPlaybackRequest('A')
  onPlaybackRequest('A', one)()
  assert.deepEqual(one.heard, [])
})

test('a pending playback may start at a given second in a present or later player', () => {
  const [one, later] = [player(), player()]
  const leave = onPlaybackRequest('A', one)
  requestPlayback('A', 12)
  assert.deepEqual(one.heard, ['seek 12', 'play'])
  assert.deepEqual([positionIn('A'), positionIn('B')], [7, undefined])
  requestPlayback('B', 0)
  leave()
  onPlaybackRequest('B', later)()
  assert.deepEqual(later.heard, ['seek 0', 'play'])
  assert.equal(positionIn('A'), undefined)
})

test('sound follows the cursor across recordings that cannot be played, and only while it sounds', () => {
  const [second, fourth, fifth] = [player(), player(), player()]
  followPlayback('A', 'B', false)
  onPlaybackRequest('B', second)()
  assert.deepEqual(second.heard, [])
  // B plays, C has no player, D is passed before its player mounts.
  followPlayback('B', 'C', true)
  const leave = dropPlaybackRequest('C')
  followPlayback('C', 'D', false)
  leave()
  followPlayback('D', 'E', false)
  onPlaybackRequest('E', fifth)()
  assert.deepEqual(fifth.heard, ['play'])
  // E is paused.
  followPlayback('E', 'F', false)
  onPlaybackRequest('F', fourth)()
  assert.deepEqual(fourth.heard, [])
  // The user leaves the list at a recording without a player.
  followPlayback('F', 'G', true)
  dropPlaybackRequest('G')()
  followPlayback('G', 'H', false)
  onPlaybackRequest('H', fourth)()
  assert.deepEqual(fourth.heard, [])
})
