import { createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds during which a replaced cookie still counts, so that parallel tabs and lost answers do no harm. */
export const GRACE_SECONDS = 30

/** Whether the cookie of rotation `presented` is the newest, or was until just now. */
export function isCurrent(
  { rotation, rotated_at }: { rotation: number; rotated_at: number },
  presented: number,
  now: number,
): boolean {
  return presented === rotation || (presented === rotation - 1 && now - rotated_at <= GRACE_SECONDS)
}

/** The half of a session that only the browser's cookie jar holds. */
export interface CookieHalves {
  /** Value of the cookie after that many rotations. */
  of(session_id: string, rotation: number): string
  /** The rotation of a genuine cookie, also of one that was replaced since; undefined for anything else. */
  read(session_id: string, value: string | undefined): number | undefined
}

/**
 * Derives each half from session and rotation, so that parallel requests get the same successor and every earlier half is
 * recognised when it turns up again. `secret` is a named secret; without it no half can be made.
 */
export function cookieHalves(secret: Buffer): CookieHalves {
  const of = (session_id: string, rotation: number) =>
    `${rotation}.${createHmac('sha256', secret).update(`${session_id} ${rotation}`).digest('base64url')}`
  return {
    of,
    read(session_id, value) {
      const [, rotation] = /^(\d{1,6})\.[\w-]{43}$/.exec(value ?? '') ?? []
      if (value === undefined || rotation === undefined) return undefined
      const expected = Buffer.from(of(session_id, Number(rotation)))
      const given = Buffer.from(value)
      return given.length === expected.length && timingSafeEqual(given, expected)
        ? Number(rotation)
        : undefined
    },
  }
}
