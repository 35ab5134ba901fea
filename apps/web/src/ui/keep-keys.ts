import type { AnyRouter } from '@tanstack/react-router'
import { MODAL } from './use-keys.ts'

/** Milliseconds without a target after which kept keys are dropped: the user's intention has changed. */
const PATIENCE_MS = 5_000
/** Milliseconds between looks for the target. A timer, because a busy page may draw no frame for seconds. */
const LOOK_MS = 16
/** Characters, and other keys that fields, lists and pages handle. */
const KEPT = /^(?:.|Arrow\w+|Backspace|End|Enter|Escape|Home|Page\w+)$/u

type Receiver = () => HTMLElement | null | undefined

let receiver: Receiver | undefined
let passing = ''
let deadline = 0
let timer = 0
let isEntered = false
const kept: KeyboardEvent[] = []

/**
 * Buffers keys while their target loads, then replays them in order: characters as text into a field, others as key
 * presses. If a key loads a further target, the rest goes there. A key pressed when the target is there passes at once.
 * @param next current target; undefined while missing
 * @param first an earlier key
 * @param passes keys that need no target, until another key is kept
 */
export function keepKeys(next: Receiver, first?: string, passes = ''): void {
  if (first) kept.unshift(new KeyboardEvent('keydown', { key: first, bubbles: true, cancelable: true }))
  const isKeeping = receiver !== undefined
  receiver = next
  passing = passes
  isEntered = false
  deadline = performance.now() + PATIENCE_MS
  if (isKeeping) return
  addEventListener('keydown', keep, true)
  handOver()
}

/**
 * Keeps keys while the page of the current address loads: they belong to it, not to the page that still shows.
 * @param hasLeft false while the address is still that of the page that the user leaves
 */
export function keepKeysForPage(router: AnyRouter, hasLeft = () => true, passes = ''): void {
  const closing = document.querySelector(MODAL)
  const next = () => {
    const { status, resolvedLocation } = router.state
    const modal = document.querySelector(MODAL)
    // A new dialog has a question, and answers keys itself.
    const isThere = modal
      ? modal !== closing
      : hasLeft() &&
        status === 'idle' &&
        resolvedLocation === router.latestLocation &&
        !document.querySelector('main [data-pending]')
    // A page may focus its search field.
    return isThere ? (document.activeElement?.closest<HTMLElement>('main input') ?? document.body) : null
  }
  keepKeys(next, undefined, passes)
}

/** Drops the kept keys: the user turned to something else. */
export function forgetKeys(): void {
  kept.length = 0
}

function keep(event: KeyboardEvent): void {
  // Replayed events pass here too.
  if (!event.isTrusted || event.ctrlKey || event.altKey || event.metaKey || !KEPT.test(event.key)) return
  handOver()
  const focused = receiver ? null : document.activeElement
  if (event.target === focused || (kept.length === 0 && passing.includes(event.key))) return
  event.preventDefault()
  event.stopImmediatePropagation()
  // A held key would go on after its release.
  if (!event.repeat) kept.push(event)
  // The target has just got the focus.
  if (focused) give(focused)
}

function handOver(): void {
  clearTimeout(timer)
  const asked = receiver
  const to = asked?.()
  if (to) {
    // One key per look: it may move the focus, and later keys follow it.
    if (!isEntered && to !== document.body) to.focus()
    isEntered = true
    give((to !== document.body && document.activeElement) || to)
  }
  // The replayed key may have requested another target.
  if (to ? receiver === asked && kept.length === 0 : performance.now() > deadline) {
    removeEventListener('keydown', keep, true)
    receiver = undefined
    kept.length = 0
  } else timer = window.setTimeout(handOver, LOOK_MS)
}

/** Replays a run of characters, or one other key: each may change the next target. */
function give(to: Element): void {
  if (to instanceof HTMLInputElement) {
    const others = kept.findIndex(({ key }) => key.length > 1)
    const characters = kept.splice(0, others < 0 ? kept.length : others)
    if (characters.length > 0)
      return write(to, withoutSelection(to) + characters.map(({ key }) => key).join(''))
  }
  const next = kept.shift()
  if (next === undefined) return
  if (next.key === 'Backspace' && to instanceof HTMLInputElement) return write(to, to.value.slice(0, -1))
  const isUnhandled = to.dispatchEvent(new KeyboardEvent('keydown', next))
  // The browser submits for its own events only.
  if (isUnhandled && next.key === 'Enter' && to instanceof HTMLInputElement) to.form?.requestSubmit()
}

/** Text of a field up to its end, or up to the selection that typed characters replace. */
const withoutSelection = ({ value, selectionStart, selectionEnd }: HTMLInputElement): string =>
  selectionStart === selectionEnd ? value : value.slice(0, selectionStart ?? undefined)

/** Sets the value so that React's controlled inputs notice it. */
function write(field: HTMLInputElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
