import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from './problem.ts'

/** Bytes of the signature kept: enough that guessing a key of another list is hopeless. */
const SIGNATURE = 12

/** Signs and reads `last_key`s: opaque to callers, bound to one list, so that nobody can walk a list by guessing. */
export interface Cursors {
  seal(list: string, key: readonly (string | number)[]): string
  /** Throws Problem `invalid_cursor`. */
  open(list: string, last_key: string): (string | number)[]
}

/** `list` names the call, the client and whatever else a key must not be carried across. */
export function makeCursors(secret: Buffer): Cursors {
  const sign = (list: string, body: string) =>
    createHmac('sha256', secret).update(`${list}\n${body}`).digest().subarray(0, SIGNATURE)
  return {
    seal(list, key) {
      const body = JSON.stringify(key)
      return Buffer.concat([sign(list, body), Buffer.from(body)]).toString('base64url')
    },
    open(list, last_key) {
      const bytes = Buffer.from(last_key, 'base64url')
      const body = bytes.subarray(SIGNATURE).toString()
      const given = bytes.subarray(0, SIGNATURE)
      if (given.length !== SIGNATURE || !timingSafeEqual(given, sign(list, body)))
        throw new Problem('invalid_cursor')
      return JSON.parse(body) as (string | number)[]
    },
  }
}
