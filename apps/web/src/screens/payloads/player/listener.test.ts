import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlaybackView } from './playback.ts'
import { followListener, isHeardOut, isListening, whenHeardOut } from './listener.ts'

function player() {
  let view = { phase: 'idle', position: 0, duration: 10 } as PlaybackView
  const [changes, ends] = [new Set<() => void>(), new Set<() => void>()]
  const keeping = (all: Set<() => void>) => (listener: () => void) => {
    all.add(listener)
    return () => void all.delete(listener)
  }
  return {
    view: () => view,
    subscribe: keeping(changes),
    whenOver: keeping(ends),
    is: (change: Partial<PlaybackView>) => {
      view = { ...view, ...change }
      for (const listener of changes) listener()
    },
    ends: () => {
      for (const listener of ends) listener()
    },
  }
}

test('a recording counts as finished only when it plays to its end', () => {
  const one = player()
  const heardOut: string[] = []
  const forget = whenHeardOut((payload_reference) => heardOut.push(payload_reference))
  const leave = followListener('A', one)
  const state = () => [isListening('A'), isHeardOut('A'), isListening('B'), isHeardOut('B')]
  assert.deepEqual(state(), [false, false, false, false])
  one.is({ phase: 'playing' })
  assert.deepEqual(state(), [true, false, false, false])
  one.is({ phase: 'paused', position: 4 })
  assert.deepEqual(state(), [false, false, false, false])
  // Seeked to its end without playback.
  one.is({ position: 10 })
  assert.deepEqual([state(), heardOut], [[false, false, false, false], []])
  one.is({ phase: 'playing', position: 9 })
  one.is({ phase: 'paused', position: 10 })
  one.ends()
  assert.deepEqual([state(), heardOut], [[false, true, false, false], ['A']])
  // A volume change is no action; playing again is.
  one.is({ volume: 0.5 })
  assert.equal(isHeardOut('A'), true)
  one.is({ phase: 'asking', position: 0 })
  assert.equal(isHeardOut('A'), false)
  one.is({ phase: 'paused', position: 10 })
  one.ends()
  leave()
  assert.deepEqual(
    [state(), heardOut],
    [
      [false, false, false, false],
      ['A', 'A'],
    ],
  )
  forget()
  one.ends()
  assert.equal(heardOut.length, 2)
})
