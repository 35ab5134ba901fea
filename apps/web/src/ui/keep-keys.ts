/** Whoever has waited this long for a field waits for something else by now, in milliseconds. */
const PATIENCE_MS = 5_000
/** Keys beside characters that mean something to a field, a list or a page. */
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
 * Keeps the keys that are pressed while what will take them is on its way, and hands them over in their order once it is there:
 * characters as text where it is a field, else as the presses they were. What one of them asks for may be on its way, too: then the rest
 * goes on to that.
 *
 * @param next where the keys go, asked with every frame; nothing as long as it is not there
 * @param first a key that is pressed already
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

function keep(event: KeyboardEvent): void {
  const { key, code, shiftKey } = event
  // What is handed over comes by here as well.
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
    // Once: a key that is handed over may lead the focus on, and what comes behind it goes there.
    if (!isEntered && to !== document.body) to.focus()
    isEntered = true
    const focused = document.activeElement
    if (kept.length > 0) give(to !== document.body && focused instanceof HTMLElement ? focused : to)
  }
  // What was just handed over may have asked for somebody else.
  const isDone = to && receiver === asked && kept.length === 0
  if (isDone || performance.now() > deadline) {
    removeEventListener('keydown', keep, true)
    receiver = undefined
    kept.length = 0
  } else requestAnimationFrame(handOver)
}

/** Hands over a run of characters, or one other key: each may change what comes next. */
function give(to: HTMLElement): void {
  if (to instanceof HTMLInputElement) {
    const others = kept.findIndex(({ key }) => key.length > 1)
    const characters = kept.splice(0, others < 0 ? kept.length : others)
    if (characters.length > 0) return write(to, to.value + characters.map(({ key }) => key).join(''))
  }
  const next = kept.shift()
  if (next === undefined) return
  if (next.key === 'Backspace' && to instanceof HTMLInputElement) return write(to, to.value.slice(0, -1))
  const init = { ...next, code: next.code || next.key, bubbles: true, cancelable: true }
  to.dispatchEvent(new KeyboardEvent('keydown', init))
}

/** As if it were typed: a field that a component controls must hear of it. */
function write(field: HTMLInputElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
