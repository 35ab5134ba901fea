import { ActionIcon, Menu } from '@mantine/core'
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { Icon } from './icon.tsx'
import { MenuEntry } from './page-act.tsx'
import { useDropdownFocus } from './use-focus.ts'

const drawEntry = (props: ComponentProps<typeof Menu.Item>) => <Menu.Item {...props} />

/** A `PageMenu` from its first use on, which opens it. */
export default function OpenedMenu({ label, children }: { label: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(true)
  const { target, dropdown } = useDropdownFocus(isOpen)
  useEffect(() => {
    if (!isOpen) return
    // A kept dropdown gets no focus from the library, and without it no arrow keys. It is hidden for its first frames.
    let frame = 0
    const enter = () => {
      const place = dropdown.current?.querySelector<HTMLElement>('[data-autofocus]')
      place?.focus({ preventScroll: true })
      if (place !== document.activeElement) frame = requestAnimationFrame(enter)
    }
    enter()
    return () => cancelAnimationFrame(frame)
  }, [isOpen, dropdown])
  return (
    // Kept mounted: the question of an action outlives the open menu.
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      returnFocus={false}
      keepMounted
      keepMountedMode="display-none"
    >
      <Menu.Target>
        <ActionIcon ref={target} variant="default" size={36} aria-label={label}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown ref={dropdown}>
        {/* The menu must not take keys that are pressed in a dialog of an action. */}
        <div
          role="presentation"
          onKeyDown={(event) => {
            if (!event.currentTarget.contains(event.target as Node)) event.stopPropagation()
          }}
        >
          <MenuEntry value={drawEntry as never}>{children}</MenuEntry>
        </div>
      </Menu.Dropdown>
    </Menu>
  )
}
