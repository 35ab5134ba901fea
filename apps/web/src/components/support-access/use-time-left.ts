import { useEffect, useState } from 'react'

/** Seconds until `moment` (epoch seconds), counting down to 0. */
export function useTimeLeft(moment: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil(moment - now / 1000))
}
