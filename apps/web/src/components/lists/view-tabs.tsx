import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Button, Group, Menu, Popover, Text, TextInput, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { Icon } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import type { LinkTarget, ListDefinition } from './list-definition.ts'
import { useListMemory } from './list-memory.ts'
import { filtersOf, type ListSearch, sameFilters } from './list-search.ts'
import { readSavedViews, SAVED_VIEW_LIMIT, saveView, VIEW_NAME_LENGTH } from './saved-views.ts'
import classes from './view-tabs.module.css'

/** Views as tabs: predefined, then saved ones of this browser. Each is a link with its filters. */
export function ViewTabs({
  list,
  search,
  goTo,
  tools,
}: {
  list: Pick<ListDefinition<never, never>, 'name' | 'kind' | 'views' | 'address' | 'parse'>
  search: ListSearch
  goTo: (search: ListSearch) => void
  /** Content at the right end. */
  tools: ReactNode
}) {
  const { t, i18n } = useLingui()
  const [saved, setSaved] = useListMemory(list.kind ?? list.name, 'views', readSavedViews)
  const typed = search['search'] === undefined ? {} : { search: search['search'] }
  const tabs = [
    { id: undefined, name: t({ context: 'everything in a list', message: 'All' }), search: {} },
    // A predefined view keeps the typed search.
    ...(list.views ?? []).map((view) => ({
      id: view.name,
      name: i18n._(view.label),
      search: { ...typed, ...view.search },
    })),
    // A saved view may use former filter names.
    ...saved.map((view) => ({ ...view, search: list.parse(view.search) })),
  ]
  const active = tabs.find(({ id, search: filters }) =>
    search.view === undefined ? sameFilters(filters, search) : id === search.view,
  )
  const own = saved.find(({ id }) => id === active?.id)
  const isChanged = active !== undefined && !sameFilters(active.search, search)

  const save = (name: string) => {
    const next = saveView(saved, name, search)
    setSaved(next.views)
    goTo({ ...next.saved.search, view: next.saved.id })
  }

  return (
    <div className={classes.bar}>
      <nav aria-label={t`Views`} className={classes.tabs}>
        {tabs.map((tab) => (
          <Tab
            key={tab.id ?? ''}
            name={tab.name}
            address={list.address({ ...tab.search, view: tab.id })}
            isActive={tab === active}
            isChanged={tab === active && isChanged}
          />
        ))}
      </nav>
      {saved.length < SAVED_VIEW_LIMIT &&
        Object.keys(filtersOf(search)).length > 0 &&
        (own === undefined || isChanged) &&
        (active === undefined || isChanged || 'search' in typed) && <SaveViewButton onSave={save} />}
      <ViewMenu
        onSave={own !== undefined && isChanged ? () => save(own.name) : undefined}
        onDelete={
          own &&
          (() => {
            setSaved(saved.filter(({ id }) => id !== own.id))
            goTo({})
          })
        }
      />
      <div className={classes.tools}>{tools}</div>
    </div>
  )
}

function Tab(props: { name: string; address: LinkTarget; isActive: boolean; isChanged: boolean }) {
  const { t } = useLingui()
  return (
    <Link
      {...props.address}
      className={classes.tab}
      aria-current={props.isActive ? 'true' : undefined}
      data-active={props.isActive || undefined}
      activeOptions={{ includeSearch: true, exact: true }}
    >
      {props.name}
      {props.isChanged && (
        <span className={classes.changed} title={t`Filters differ from the saved view`}>
          *
        </span>
      )}
    </Link>
  )
}

/** Actions on the current view: copy its link, and save or delete an own view. */
function ViewMenu(props: { onSave: (() => void) | undefined; onDelete: (() => void) | undefined }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const copyLink = () =>
    void navigator.clipboard.writeText(location.href).then(() => noticeDone(t`Link copied`))
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={230}>
      <Tooltip withinPortal={false} label={t`View`}>
        <Menu.Target>
          <ActionIcon ref={target} variant="subtle" color="gray" size={28} aria-label={t`View`}>
            <Icon name="more" size={18} />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown ref={dropdown}>
        <Menu.Item leftSection={<Icon name="link" size={16} />} onClick={copyLink}>
          {t`Copy link to this view`}
        </Menu.Item>
        {props.onSave && (
          <Menu.Item leftSection={<Icon name="check" size={16} />} onClick={props.onSave}>
            {t`Save changes to the view`}
          </Menu.Item>
        )}
        {props.onDelete && (
          <Menu.Item color="red" leftSection={<Icon name="trash" size={16} />} onClick={props.onDelete}>
            {t`Delete the view`}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Saves the current filters under a name. */
function SaveViewButton({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const [name, setName] = useState('')
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          ref={target}
          size="compact-sm"
          variant="subtle"
          flex="none"
          aria-label={t`Save view`}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="bookmark" size={14} />
          <Text span inherit ml={6} visibleFrom="sm">
            {t`Save view`}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown ref={dropdown} aria-label={t`Save view`}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() === '') return
            onSave(name)
            setName('')
            setOpen(false)
          }}
        >
          <Group gap={8} align="flex-end">
            <TextInput
              data-autofocus
              size="xs"
              label={t`Name of the view`}
              maxLength={VIEW_NAME_LENGTH}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" size="xs" disabled={name.trim() === ''}>
              {t`Save`}
            </Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
