import { useLingui } from '@lingui/react/macro'
import {
  ActionIcon,
  Box,
  Button,
  Group,
  Menu,
  Popover,
  Stack,
  Switch,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { Icon } from '../../ui/icon.tsx'
import { keepKeys } from '../../ui/keep-keys.ts'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import type { LinkTarget, ListDefinition } from './list-definition.ts'
import { useListMemory } from './list-memory.ts'
import { filtersOf, type ListSearch, sameFilters } from './list-search.ts'
import {
  readSavedViews,
  renameView,
  SAVED_VIEW_LIMIT,
  saveView,
  VIEW_NAME_LENGTH,
  withoutNew,
} from './saved-views.ts'
import classes from './view-tabs.module.css'

interface ViewTabsProps {
  list: Pick<
    ListDefinition<never, never>,
    'name' | 'kind' | 'views' | 'words' | 'keysSince' | 'address' | 'parse'
  >
  search: ListSearch
  /** Time up to which the user knows the results of a content search; undefined: not known yet. */
  seenUntil: number | undefined
  goTo: (search: ListSearch) => void
  /** Content at the right end. */
  tools: ReactNode
}

/** The views of a list: predefined, then saved ones of this browser; which one is open, and what may be done with it. */
function useViews({ list, search: stated, seenUntil, goTo }: Omit<ViewTabsProps, 'tools'>) {
  const { t, i18n } = useLingui()
  const [saved, setSaved] = useListMemory(list.kind ?? list.name, 'views', readSavedViews)
  const search = withoutNew(stated)
  const words = list.words ?? ''
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
  const known = { new_from: seenUntil, seen: seenUntil === undefined ? [] : list.keysSince?.(seenUntil) }
  const isChanged =
    active !== undefined &&
    (!sameFilters(active.search, search) || (own?.words !== undefined && own.words !== words))
  const isFiltered = words !== '' || Object.keys(filtersOf(search)).length > 0
  return {
    tabs,
    active,
    own,
    isChanged,
    isSavable:
      saved.length < SAVED_VIEW_LIMIT &&
      isFiltered &&
      (own === undefined || isChanged) &&
      (active === undefined || isChanged || words !== '' || 'search' in typed),
    save: (name: string, hasNews: boolean) => {
      const next = saveView(saved, name, search, {
        ...(words !== '' && { words }),
        ...(hasNews && known),
      })
      setSaved(next.views)
      goTo({ ...next.saved.search, view: next.saved.id })
      return next.saved.id
    },
    /** Returns the new id; undefined when another view has that name. */
    rename: (from: string, name: string) => {
      const renamed = renameView(saved, from, name)
      if (renamed === undefined) return undefined
      setSaved(renamed.views)
      goTo({ ...stated, view: renamed.id })
      return renamed.id
    },
    remove: (id: string) => {
      setSaved(saved.filter((view) => view.id !== id))
      goTo({})
    },
    /** Begins or ends to tell of new hits of a saved search. */
    switchNews: (id: string) =>
      setSaved(
        saved.map((view) => {
          if (view.id !== id) return view
          const { new_from, seen: _, ...rest } = view
          return new_from === undefined ? { ...rest, ...known } : rest
        }),
      ),
  }
}

/** Views as tabs. Each is a link with its filters. */
export function ViewTabs(props: ViewTabsProps) {
  const { t } = useLingui()
  const { list, seenUntil } = props
  const { tabs, active, own, isChanged, isSavable, save, rename, remove, switchNews } = useViews(props)
  const nav = useRef<HTMLElement>(null)
  /** The button may leave with its form: the named view takes the focus. */
  const focusView = (id: string) =>
    keepKeys(() => nav.current?.querySelector<HTMLElement>(`[data-active="${CSS.escape(id)}"]`))
  const renameOwn = (from: string, name: string) => {
    const id = rename(from, name)
    if (id !== undefined) focusView(id)
    return id !== undefined
  }
  return (
    <div className={classes.bar}>
      <nav ref={nav} aria-label={t`Views`} className={classes.tabs}>
        {tabs.map((tab) => (
          <Tab
            key={tab.id ?? ''}
            id={tab.id}
            name={tab.name}
            address={list.address({ ...tab.search, view: tab.id })}
            isActive={tab === active}
            isChanged={tab === active && isChanged}
          />
        ))}
      </nav>
      {isSavable && (
        <SaveViewButton
          onSave={(name, hasNews) => focusView(save(name, hasNews))}
          hasNews={(list.words ?? '') === '' ? undefined : seenUntil !== undefined}
        />
      )}
      <ViewMenu
        onSave={own !== undefined && isChanged ? () => save(own.name, own.new_from !== undefined) : undefined}
        news={
          own?.words === undefined || isChanged || seenUntil === undefined
            ? undefined
            : { isOn: own.new_from !== undefined, onSwitch: () => switchNews(own.id) }
        }
        name={own?.name}
        onRename={own && ((name) => renameOwn(own.id, name))}
        onDelete={own && (() => remove(own.id))}
      />
      <div className={classes.tools}>{props.tools}</div>
    </div>
  )
}

function Tab(props: {
  id: string | undefined
  name: string
  address: LinkTarget
  isActive: boolean
  isChanged: boolean
}) {
  const { t } = useLingui()
  return (
    <Link
      {...props.address}
      className={classes.tab}
      aria-current={props.isActive ? 'true' : undefined}
      data-active={props.isActive ? (props.id ?? '') : undefined}
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

/** Actions on the current view: copy its link, and save, rename or delete an own view. */
function ViewMenu(props: {
  onSave: (() => void) | undefined
  /** Set for a saved content search. */
  news: { isOn: boolean; onSwitch: () => void } | undefined
  /** Of an own view. */
  name: string | undefined
  onRename: ((name: string) => boolean) | undefined
  onDelete: (() => void) | undefined
}) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const { target: renamed, dropdown: form } = useDropdownFocus(isRenaming)
  const copyLink = () =>
    void navigator.clipboard.writeText(location.href).then(() => noticeDone(t`Link copied`))
  const startRenaming = () => {
    setRenaming(true)
    keepKeys(() => form.current?.querySelector('input'))
  }
  return (
    <Popover
      opened={isRenaming && props.onRename !== undefined}
      onChange={setRenaming}
      position="bottom-end"
      trapFocus
      shadow="md"
      withRoles={false}
    >
      {/* The menu is a popover itself: inside it, this target would be the menu's. */}
      <Popover.Target>
        <Box flex="none">
          <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={230} returnFocus={false}>
            <Tooltip withinPortal={false} label={t`View`}>
              <Menu.Target>
                <ActionIcon
                  ref={useMergedRef(target, renamed)}
                  variant="subtle"
                  color="gray"
                  size={28}
                  aria-label={t`View`}
                >
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
              {props.news && (
                <Menu.Item leftSection={<Icon name="bell" size={16} />} onClick={props.news.onSwitch}>
                  {props.news.isOn ? t`Stop telling me about new hits` : t`Tell me about new hits`}
                </Menu.Item>
              )}
              {props.onRename && (
                <Menu.Item leftSection={<Icon name="pencil" size={16} />} onClick={startRenaming}>
                  {t`Rename the view`}
                </Menu.Item>
              )}
              {props.onDelete && (
                <Menu.Item color="red" leftSection={<Icon name="trash" size={16} />} onClick={props.onDelete}>
                  {t`Delete the view`}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </Box>
      </Popover.Target>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the library's popover, without roles on its target */}
      <Popover.Dropdown ref={form} role="dialog" aria-label={t`Rename the view`}>
        <NameForm
          name={props.name}
          onSave={(name) => {
            const isDone = props.onRename?.(name) ?? true
            if (isDone) setRenaming(false)
            return isDone
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

/** Saves the current filters, or the content search, under a name. */
function SaveViewButton({
  onSave,
  hasNews,
}: {
  onSave: (name: string, hasNews: boolean) => void
  /** Whether the count of known hits is loaded; undefined: the list is no content search. */
  hasNews: boolean | undefined
}) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const [isWatched, setWatched] = useState(false)
  const save = (name: string) => {
    onSave(name, isWatched)
    setOpen(false)
    return true
  }
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
        <NameForm onSave={save}>
          {hasNews !== undefined && (
            <Switch
              size="xs"
              label={t`Tell me about new hits`}
              description={t`This browser keeps the search and its words`}
              checked={isWatched}
              disabled={!hasNews}
              onChange={(event) => setWatched(event.currentTarget.checked)}
            />
          )}
        </NameForm>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Asks for the name of a view. */
function NameForm(props: {
  name?: string | undefined
  /** Returns false when another view has the name. */
  onSave: (name: string) => boolean
  children?: ReactNode
}) {
  const { t } = useLingui()
  const [name, setName] = useState(props.name ?? '')
  const [isTaken, setTaken] = useState(false)
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') setTaken(!props.onSave(name))
  }
  return (
    <form onSubmit={save}>
      <Stack gap={10}>
        <Group gap={8} align="flex-end">
          <TextInput
            data-autofocus
            size="xs"
            label={t`Name of the view`}
            maxLength={VIEW_NAME_LENGTH}
            value={name}
            error={isTaken && t`Another view has this name.`}
            inputWrapperOrder={['label', 'error', 'input']}
            onChange={(event) => {
              setName(event.currentTarget.value)
              setTaken(false)
            }}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button type="submit" size="xs" disabled={name.trim() === ''}>
            {t`Save`}
          </Button>
        </Group>
        {props.children}
      </Stack>
    </form>
  )
}
