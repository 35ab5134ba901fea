import { lazy, type ReactElement, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'

const HintBubble = lazy(() => import('./hint-bubble.tsx'))

/** Milliseconds that the pointer rests before a hint appears. */
const DELAY = 250

/**
 * Says what something is while the pointer or the keyboard's focus is on it. No page waits for what draws it: that is
 * loaded with the first hint. A hint adds to a name, it is none: the child needs its own, and says itself (`aria-description`)
 * what people must not miss.
 *
 * @param label undefined: no hint
 */
export function Hint({ label, children }: { label: ReactNode; children: ReactElement }) {
  const [anchor, setAnchor] = useState<HTMLElement>()
  const [isOpen, setOpen] = useState(false)
  const timer = useRef<number>(undefined)
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const show = (frame: HTMLElement, delay: number) => {
    const child = frame.firstElementChild
    if (!(child instanceof HTMLElement)) return
    setAnchor(child)
    timer.current = window.setTimeout(() => setOpen(true), delay)
  }
  const hide = () => {
    window.clearTimeout(timer.current)
    setOpen(false)
  }
  return (
    <>
      <span
        role="presentation"
        style={{ display: 'contents' }}
        onPointerEnter={(event) => {
          if (event.pointerType === 'mouse') show(event.currentTarget, DELAY)
        }}
        onPointerLeave={hide}
        onFocus={(event) => {
          if (event.target.matches(':focus-visible')) show(event.currentTarget, 0)
        }}
        onBlur={hide}
        onKeyDown={(event) => {
          if (event.key === 'Escape') hide()
        }}
      >
        {children}
      </span>
      {anchor !== undefined && label !== undefined && (
        <Suspense>
          <HintBubble anchor={anchor} isOpen={isOpen} label={label} />
        </Suspense>
      )}
    </>
  )
}
