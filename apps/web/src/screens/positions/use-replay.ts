import { useEffect, useState } from 'react'
import { placeAt, type Track } from './track.ts'

/** Replay speeds: track seconds per second, from real time to an hour per minute. */
export const SPEEDS = [1, 5, 15, 30, 60] as const

/** Milliseconds per frame with reduced motion. */
const CALM_MS = 1000

/**
 * Replay state. `isSkipping` skips stops and gaps.
 * @param span epoch seconds of the first and last position
 */
export function useReplay(tracks: readonly Track[], span: { begin: number; end: number }) {
  const [chosen, setTime] = useState<number>()
  const [isRunning, setRunning] = useState(false)
  const [speed, setSpeed] = useState<number>(60)
  const [isSkipping, setSkipping] = useState(true)
  const [isFollowing, setFollowing] = useState(false)
  // A chosen time before or after the track says that no position is known.
  const time = chosen ?? span.end
  useEffect(() => {
    if (!isRunning) return
    const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
    let last = performance.now()
    let frame = requestAnimationFrame(function next(now) {
      const passed = now - last
      if (!isCalm || passed >= CALM_MS) {
        last = now
        setTime((shown = span.end) => {
          const then = Math.max(span.begin, shown) + (Math.min(passed, CALM_MS) / 1000) * speed
          const reached = isSkipping ? afterRecheck(tracks, then) : then
          if (reached >= span.end) setRunning(false)
          return Math.min(span.end, reached)
        })
      }
      frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [isRunning, speed, isSkipping, tracks, span.begin, span.end])
  return {
    time,
    setTime,
    isRunning,
    /** Restarts a finished replay. */
    toggle: () => {
      if (!isRunning && time >= span.end) setTime(span.begin)
      setRunning(!isRunning)
    },
    speed,
    setSpeed,
    isSkipping,
    setSkipping,
    isFollowing,
    setFollowing,
  }
}

/** The time itself, or the next movement when every device stands still or is in a gap. */
export function afterRecheck(tracks: readonly Track[], time: number): number {
  const next = tracks.map((track) => {
    const stop = track.stops.find(({ begin, end }) => begin <= time && time < end)
    if (stop) return stop.end
    if (placeAt(track, time)) return time
    return track.times.find((each) => each >= time) ?? Infinity
  })
  const first = Math.min(...next)
  return first === Infinity ? time : Math.max(time, first)
}
