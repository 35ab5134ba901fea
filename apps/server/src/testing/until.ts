import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** Seconds that something which is sure to come may take; the machine may be busy with other tests. */
const PATIENCE = 60

/**
 * Polls `look` until `isDone` accepts its result, and resolves to it. After `seconds` it fails with `what` and the
 * last result.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isDone: (found: T) => boolean = Boolean,
  { seconds = PATIENCE, everyMs = 50 } = {},
): Promise<T> {
  const started = performance.now()
  for (;;) {
    const found = await look()
    if (isDone(found)) return found
    if (performance.now() - started > seconds * 1000)
      assert.fail(`waited ${seconds} s for ${what}; found last: ${JSON.stringify(found)}`)
    await pause(everyMs)
  }
}
