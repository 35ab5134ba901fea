import type { AnyRouter } from '@tanstack/react-router'
import { MODAL } from './use-keys.ts'

/** Milliseconds without a target after which kept keys are dropped: the user's intention has changed. */
const PATIENCE_MS = 5_000
/** Non-character keys that fields, lists and pages handle. */
const NAMED = /^(?:Arrow\w+|Backspace|End|Enter|Escape|Home|Page\w+)$/

type Receiver = () => HTMLElement | null | undefined
interface Key {
  key: string
  code: string
  shiftKey: boolean
}

let receiver: Receiver | undefined
let deadline = 0
let isEntered = false
const kept: Key[] = []

/**
 * Buffers keys while their target loads, then replays them in order: characters as text into a field, others as key
 * presses. If a key loads a further target, the rest goes there.
 * @param next current target, checked every frame; undefined while missing
 * @param first an earlier key
 */
export function keepKeys(next: Receiver, first?: string): void {
  if (first !== undefined) kept.unshift({ key: first, code: '', shiftKey: false })
  const isKeeping = receiver !== undefined
  receiver = next
  isEntered = false
  deadline = performance.now() + PATIENCE_MS
  if (isKeeping) return
  addEventListener('keydown', keep, true)
  handOver()
}

/**
 * Keeps keys while the page of the current address loads: they belong to it, not to the page that still shows.
 * @param left path of the page that the browser's history leaves; a dialog there may ask first
 */
export function keepKeysForPage(router: AnyRouter, left?: string): void {
  const isThere = () => {
    const { pathname, href } = router.latestLocation
    const isAsked = document.querySelector(MODAL) !== null
    if (pathname === left) return isAsked
    const isResolved = router.state.status === 'idle' && router.state.resolvedLocation?.href === href
    return isResolved && !isAsked && document.querySelector('main [data-pending]') === null
  }
  keepKeys(() => (isThere() ? document.body : undefined))
}

/** Drops the kept keys: the user turned to something else. */
export function forgetKeys(): void {
  kept.length = 0
}

function keep(event: KeyboardEvent): void {
  const { key, code, shiftKey } = event
  // Replayed events pass here too.
  if (!event.isTrusted || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return
  if (key.length > 1 && !NAMED.test(key)) return
  event.preventDefault()
  event.stopImmediatePropagation()
  kept.push({ key, code, shiftKey })
}

function handOver(): void {
  const asked = receiver
  const to = asked?.()
  if (to) {
    // One key per frame: it may move the focus, and later keys follow it.
    if (!isEntered && to !== document.body) to.focus()
    isEntered = true
    deadline = performance.now() + PATIENCE_MS
    const focused = document.activeElement
    if (kept.length > 0) give(to !== document.body && focused instanceof HTMLElement ? focused : to)
  }
  // The replayed key may have requested another target.
  const isDone = to && receiver === asked && kept.length === 0
  if (isDone || performance.now() > deadline) {
    removeEventListener('keydown', keep, true)
    receiver = undefined
    kept.length = 0
  } else requestAnimationFrame(handOver)
}

/** Replays a run of characters, or one other key: each may change the next target. */
function give(to: HTMLElement): void {
  if (to instanceof HTMLInputElement) {
    const others = kept.findIndex(({ key }) => key.length > 1)
    const characters = kept.splice(0, others < 0 ? kept.length : others)
    if (characters.length > 0)
      return write(to, withoutSelection(to) + characters.map(({ key }) => key).join(''))
  }
  const next = kept.shift()
  if (next === undefined) return
  if (next.key === 'Backspace' && to instanceof HTMLInputElement) return write(to, to.value.slice(0, -1))
  const init = { ...next, code: next.code || next.key, bubbles: true, cancelable: true }
  to.dispatchEvent(new KeyboardEvent('keydown', init))
}

/** Text of a field up to its end, or up to the selection that typed characters replace. */
const withoutSelection = ({ value, selectionStart, selectionEnd }: HTMLInputElement): string =>
  selectionStart === selectionEnd ? value : value.slice(0, selectionStart ?? undefined)

/** Sets the value so that React's controlled inputs notice it. */
function write(field: HTMLInputElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
