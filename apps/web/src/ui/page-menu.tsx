import { Menu } from '@mantine/core'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { MenuButton } from './menu-button.tsx'
import { MenuEntry } from './page-act.tsx'
import { useDropdownFocus } from './use-focus.ts'

const drawEntry = (props: ComponentProps<typeof Menu.Item>) => <Menu.Item {...props} />

/** The further actions of a page behind one button: `PageAct`, `ActButton` and `DeleteButton`. Opens at once. */
export default function PageMenu({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(true)
  const { target, dropdown } = useDropdownFocus(isOpen)
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
        <MenuButton ref={target} />
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
