import { lazy, type ReactElement, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'

const HintBubble = lazy(() => import('./hint-bubble.tsx'))

/** Hover delay in milliseconds. */
const DELAY = 250

/**
 * Tooltip on hover and keyboard focus; its code loads on first use. It supplements the child's own accessible name;
 * essential text belongs in `aria-description`.
 * @param label undefined: no tooltip
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
