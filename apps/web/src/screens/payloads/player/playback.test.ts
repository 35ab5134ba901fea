import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { followListener, isHeardOut, isListening, whenHeardOut } from './listener.ts'
import {
  afterSilence,
  Playback,
  type Media,
  MediaFailure,
  nextSpeed,
  type PlaybackView,
  storedSpeed,
} from './playback.ts'

/** Fake audio element: the test makes sources fail or load. */
class FakeMedia extends EventTarget {
  src = ''
  currentTime = 0
  duration = Number.NaN
  playbackRate = 1
  volume = 1
  defaultPlaybackRate = 1
  preservesPitch = false
  error: MediaError | null = null
  playing = false
  play() {
    this.playing = true
    return Promise.resolve()
  }
  pause() {
    this.playing = false
    this.dispatchEvent(new Event('pause'))
  }
  load() {}
  removeAttribute() {
    this.src = ''
  }
  happens(...names: string[]) {
    for (const name of names) this.dispatchEvent(new Event(name))
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

function setUp(answers: (string | Error)[] = ['/media/1', '/media/2', '/media/3']) {
  const media = new FakeMedia()
  const asked: string[] = []
  const playback = new Playback(media as unknown as Media, {
    duration: 100,
    speed: 1.5,
    volume: 0.4,
    skipsSilence: false,
    ask: () => {
      const answer = answers[asked.length] ?? new Error('asked too often')
      asked.push(String(answer))
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
  })
  const startPlaying = async () => {
    playback.play()
    await settled()
    media.duration = 100
    media.happens('loadedmetadata', 'playing')
  }
  const reach = (position: number) => {
    media.currentTime = position
    media.happens('timeupdate')
  }
  return { media, asked, playback, startPlaying, reach }
}

test('no address is requested before the first press of play', async () => {
  const { playback, asked, media, startPlaying } = setUp()
  playback.seek(12)
  playback.setSpeed(2)
  await settled()
  assert.deepEqual(asked, [])
  await startPlaying()
  assert.deepEqual(asked, ['/media/1'])
  assert.equal(media.currentTime, 12)
  assert.equal(media.playbackRate, 2)
  assert.equal(media.preservesPitch, true)
  assert.equal(playback.view().phase, 'playing')
})

test('an address that expires while playing is renewed at the same position', async () => {
  const { asked, media, startPlaying, reach } = setUp()
  await startPlaying()
  reach(42)
  media.currentTime = 0
  media.happens('error', 'timeupdate')
  await settled()
  assert.deepEqual(asked, ['/media/1', '/media/2'])
  assert.equal(media.src, '/media/2')
  assert.equal(media.currentTime, 42)
  assert.equal(media.playing, true)
})

test('an address that expires while paused is renewed only by the next press of play', async () => {
  const { playback, asked, media, startPlaying, reach } = setUp()
  await startPlaying()
  reach(10)
  playback.pause()
  media.happens('error')
  playback.seek(70)
  await settled()
  assert.equal(asked.length, 1)
  assert.equal(playback.view().phase, 'paused')
  playback.play()
  await settled()
  assert.equal(asked.length, 2)
  assert.equal(media.currentTime, 70)
})

test('a new address that does not work is a failure without a second request', async () => {
  const { playback, asked, media } = setUp()
  playback.play()
  await settled()
  media.error = { code: 4 } as MediaError
  media.happens('error')
  await settled()
  assert.equal(asked.length, 1)
  assert.ok(playback.view().failure instanceof MediaFailure)
  assert.equal(playback.view().phase, 'failed')
})

test('a damaged position fails after one renewed address', async () => {
  const { playback, asked, media, startPlaying, reach } = setUp()
  await startPlaying()
  reach(30)
  media.happens('error')
  await settled()
  media.happens('loadedmetadata', 'error')
  await settled()
  assert.equal(asked.length, 2)
  assert.equal(playback.view().phase, 'failed')
  playback.play()
  await settled()
  assert.equal(asked.length, 3)
})

test('a rejected request is shown and can be retried', async () => {
  const refusal = new Error('TypeNotAuthorised')
  const { playback, asked } = setUp([refusal, '/media/2'])
  playback.play()
  await settled()
  assert.equal(playback.view().failure, refusal)
  playback.play()
  await settled()
  assert.equal(asked.length, 2)
  assert.equal(playback.view().failure, undefined)
})

test('pressing play again during the request cancels the pending playback', async () => {
  const { playback, media, asked } = setUp()
  playback.toggle()
  playback.toggle()
  await settled()
  assert.equal(media.playing, false)
  assert.equal(playback.view().phase, 'paused')
  playback.toggle()
  await settled()
  assert.equal(media.playing, true)
  assert.equal(asked.length, 1)
})

test('silences are skipped when the option is on', async () => {
  const { playback, media, startPlaying, reach } = setUp()
  playback.setSilences([[20, 40]])
  await startPlaying()
  reach(21)
  assert.equal(media.currentTime, 21)
  playback.setSkipsSilence(true)
  reach(22)
  assert.equal(media.currentTime, 39.85)
  assert.equal(playback.view().position, 39.85)
})

test('play starts over after the end', async () => {
  const { playback, media, startPlaying, reach } = setUp()
  await startPlaying()
  reach(100)
  media.happens('ended')
  assert.equal(playback.view().phase, 'paused')
  playback.play()
  assert.equal(media.currentTime, 0)
})

test('a closed playback ignores an address that arrives later', async () => {
  const { playback, media } = setUp()
  playback.play()
  playback.close()
  await settled()
  assert.equal(media.src, '')
})

test('a later expected duration corrects the display but not a loaded recording', async () => {
  const { playback, startPlaying, media } = setUp()
  playback.expectDuration(80)
  assert.equal(playback.view().duration, 80)
  await startPlaying()
  playback.expectDuration(60)
  assert.deepEqual([playback.view().duration, playback.view().phase, media.playing], [100, 'playing', true])
})

test('a skip ends shortly before the end of the silence', () => {
  assert.equal(afterSilence(3, [[2, 6]]), 5.85)
})

test('speech and very short silences are not skipped', () => {
  assert.equal(afterSilence(1, [[2, 6]]), undefined)
  assert.equal(afterSilence(6, [[2, 6]]), undefined)
  assert.equal(afterSilence(5.5, [[2, 6]]), undefined)
})

test('a skip always goes forward and never past the silence', () => {
  const time = fc.double({ min: 0, max: 1e4, noNaN: true })
  fc.assert(
    fc.property(time, time, time, (position, from, length) => {
      const target = afterSilence(position, [[from, from + length]])
      assert.ok(target === undefined || (target > position && target < from + length))
    }),
  )
})

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

test('a step goes to the next speed and stops at the fastest and slowest', () => {
  assert.equal(nextSpeed(1, 1), 1.25)
  assert.equal(nextSpeed(1, -1), 0.75)
  assert.equal(nextSpeed(3, 1), 3)
  assert.equal(nextSpeed(0.5, -1), 0.5)
})

test('an invalid stored speed falls back to normal speed', () => {
  assert.equal(storedSpeed({ getItem: () => '2' }), 2)
  for (const odd of [null, '', '16', 'NaN', '-1']) assert.equal(storedSpeed({ getItem: () => odd }), 1)
})
