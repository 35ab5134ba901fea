import { useLingui } from '@lingui/react/macro'
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- options of the field above, with two lines each */
import { Box, Highlight, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { Command, CommandGroup } from './command.ts'
import classes from './command-menu.module.css'

/** List box of the command menu, controlled by the field above. */
export function CommandList({
  id,
  groups,
  active,
  highlight,
  onChoose,
  onTake,
}: {
  id: string
  groups: readonly CommandGroup[]
  /** Id of the selected command. */
  active: string | undefined
  highlight: string
  onChoose: (command: Command) => void
  onTake: (command: Command) => void
}) {
  const { t } = useLingui()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <Box ref={list} id={id} role="listbox" aria-label={t`Results`} className={classes.list}>
      {groups.map(({ label, isUntitled, commands }) => (
        <div key={label} role="group" aria-label={label} className={classes.group}>
          {!isUntitled && (
            <div className={classes.heading} aria-hidden>
              {label}
            </div>
          )}
          {commands.map((command) => (
            <Box
              key={command.id}
              id={optionId(id, command.id)}
              role="option"
              aria-selected={command.id === active}
              className={classes.option}
              onMouseMove={() => command.id !== active && onChoose(command)}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onTake(command)}
            >
              <Icon name={command.icon} size={18} />
              <span className={classes.text}>
                <Highlight
                  component="span"
                  highlight={highlight}
                  highlightStyles={{ background: 'none', color: 'inherit', fontWeight: 700 }}
                  className={classes.label}
                >
                  {command.label}
                </Highlight>
                {command.detail && <span className={classes.detail}>{command.detail}</span>}
              </span>
              {command.count !== undefined && (
                <Text span size="sm" fw={600} className="tabular">
                  {command.count}
                </Text>
              )}
            </Box>
          ))}
        </div>
      ))}
    </Box>
  )
}

/** Element id of an option. */
export const optionId = (listId: string, commandId: string): string =>
  `${listId}${commandId}`.replace(/[^\w-]/g, (other) => `_${other.codePointAt(0)}`)
