import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlayedPart } from '@custodia/contract'
import type { PlaybackView } from './playback.ts'
import { PlayedParts } from './played-parts.ts'

function setUp({ speed = 1, hasSkipped = false, isOnline = true } = {}) {
  let view = { phase: 'idle', position: 0, duration: 600, speed } as PlaybackView
  let now = 0
  const listeners = new Set<() => void>()
  const sent: (readonly PlayedPart[])[] = []
  const net = { isOnline }
  const played = new PlayedParts(
    {
      view: () => view,
      subscribe: (listener: () => void) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      hasSkipped: () => hasSkipped,
    },
    {
      known: [],
      now: () => now,
      send: async (parts) => {
        if (net.isOnline) sent.push(parts)
        return net.isOnline
      },
    },
  )
  const is = (change: Partial<PlaybackView>, at: number) => {
    now = at
    view = { ...view, ...change }
    for (const listener of listeners) listener()
  }
  /** Plays for some seconds, as a player reports it. */
  const play = (from: number, seconds: number, at: number) => {
    is({ phase: 'playing', position: from }, at)
    for (let s = 0.25; s <= seconds; s += 0.25) is({ position: from + s * speed }, at + s)
  }
  return { is, play, played, sent, net }
}

test('stretches count at every speed, and jumps do not', async () => {
  const { is, play, played, sent } = setUp({ speed: 3 })
  play(0, 4, 0)
  is({ position: 100 }, 4.2)
  play(100, 2, 4.2)
  is({ position: 50 }, 6.3)
  is({ phase: 'paused', position: 50 }, 6.4)
  assert.deepEqual(played.parts(), [
    { from: 0, to: 12 },
    { from: 100, to: 106 },
  ])
  await played.flush()
  assert.deepEqual(sent.flat(), played.parts())
})

test('a position that changes without playback is not heard', () => {
  const { is, played } = setUp()
  is({ position: 5 }, 1)
  is({ phase: 'asking', position: 6 }, 2)
  is({ phase: 'paused', position: 7 }, 3)
  assert.deepEqual(played.parts(), [])
})

test('a silence that the player skips counts as heard', () => {
  const { is, play, played } = setUp({ hasSkipped: true })
  play(0, 2, 0)
  is({ position: 30 }, 2.2)
  is({ position: 31 }, 3.2)
  assert.deepEqual(played.parts(), [{ from: 0, to: 31 }])
})

test('reports go out during playback, on pause and at the end, and a lost one is repeated', async () => {
  const { is, play, played, sent, net } = setUp()
  play(0, 10, 0)
  await played.flush()
  assert.ok(sent.length >= 1)
  net.isOnline = false
  play(10, 2, 10)
  is({ phase: 'paused' }, 12.1)
  await played.flush()
  net.isOnline = true
  play(20, 2, 13)
  is({ phase: 'paused' }, 15.1)
  await played.flush()
  assert.deepEqual(sent.at(-1), [
    { from: 10, to: 12 },
    { from: 20, to: 22 },
  ])
})
