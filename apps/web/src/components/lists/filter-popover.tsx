import { Badge, Button, Center, Popover } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-focus.ts'

/** The number of chosen values at the end of a filter's button; it takes the place of the arrow. */
export const FilterCount = ({ count }: { count: number }) => (
  <Center w={18}>
    {count > 0 ? (
      <Badge size="sm" circle variant="filled">
        {count}
      </Badge>
    ) : (
      <Icon name="chevron-down" size={14} />
    )}
  </Center>
)

/** A filter's button and the panel that it opens. */
export function FilterPopover(props: {
  icon: IconName
  button: ReactNode
  rightSection: ReactNode
  /** Name of the panel. */
  label: string
  /** Of the panel, in pixels. */
  width: number
  className?: string
  children: (close: () => void) => ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={props.width}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          ref={target}
          className={props.className}
          size="xs"
          h={32}
          variant="default"
          fw={500}
          data-list-filter
          leftSection={<Icon name={props.icon} size={15} />}
          rightSection={props.rightSection}
          onClick={() => setOpen(!isOpen)}
        >
          {props.button}
        </Button>
      </Popover.Target>
      <Popover.Dropdown ref={dropdown} aria-label={props.label} maw="calc(100vw - 16px)">
        {props.children(() => setOpen(false))}
      </Popover.Dropdown>
    </Popover>
  )
}
