import { useEffect, useState } from 'react'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** From here seconds are shown. */
const LAST_MINUTES = 5 * MINUTE

/** Remaining time in two units: `2 d 4 h`, `3 h 20 min`, `59 min`, and near the end `4:59`. */
export function leftText(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds))
  const [days, hours, minutes] = [
    Math.floor(left / DAY),
    Math.floor((left % DAY) / HOUR),
    Math.floor((left % HOUR) / MINUTE),
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  if (left >= LAST_MINUTES) return `${minutes} min`
  return `${minutes}:${String(left % MINUTE).padStart(2, '0')}`
}

/** Seconds until `moment` (epoch seconds), counting down to 0. */
export function useTimeLeft(moment: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil(moment - now / 1000))
}
