import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepPlayhead, worthKeeping } from './keep-playhead.ts'
import type { PlaybackView } from './playback.ts'

function setUp(duration: number, kept?: number) {
  let view = { phase: 'idle', position: 0, duration } as PlaybackView
  const listeners = new Set<() => void>()
  const page = new EventTarget()
  const saves: (number | null)[] = []
  const playback = {
    view: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const leave = keepPlayhead(playback, kept, (playhead) => saves.push(playhead), page as unknown as Document)
  const is = (change: Partial<PlaybackView>) => {
    view = { ...view, ...change }
    for (const listener of listeners) listener()
  }
  return { is, leave, saves, hide: () => page.dispatchEvent(new Event('visibilitychange')), listeners }
}

test('a position is kept only in a long recording that was started and not finished', () => {
  assert.deepEqual(
    [4.9, 5, 42.7, 97, 97.1, 100].map((position) => worthKeeping(position, 100)),
    [undefined, 5, 42, 97, null, null],
  )
  assert.deepEqual(
    [29, 30, Number.NaN, 0].map((duration) => worthKeeping(10, duration)),
    [undefined, 10, undefined, undefined],
  )
})

test('the position is saved on pause, page hide, leave and at intervals', () => {
  const { is, leave, saves, hide, listeners } = setUp(600)
  is({ position: 200 })
  hide()
  assert.deepEqual(saves, [], 'nothing was heard yet')
  is({ phase: 'playing', position: 200 })
  is({ position: 210 })
  assert.deepEqual(saves, [200])
  is({ position: 259 })
  assert.deepEqual(saves, [200])
  is({ position: 260 })
  is({ position: 270, phase: 'paused' })
  hide()
  assert.deepEqual(saves, [200, 260, 270], 'once for each place')
  is({ position: 300 })
  hide()
  is({ phase: 'playing', position: 302 })
  leave()
  assert.deepEqual(saves, [200, 260, 270, 300, 302])
  assert.equal(listeners.size, 0)
})

test('the position is cleared once at the end and kept when little was played', () => {
  const end = setUp(100, 42)
  end.is({ phase: 'playing', position: 42 })
  end.is({ position: 50, phase: 'paused' })
  end.is({ phase: 'playing', position: 99 })
  end.is({ phase: 'paused', position: 100 })
  end.leave()
  assert.deepEqual(end.saves, [50, null])
  const again = setUp(100, 42)
  again.is({ phase: 'playing', position: 0 })
  again.is({ phase: 'paused', position: 3 })
  again.leave()
  assert.deepEqual(again.saves, [])
})
