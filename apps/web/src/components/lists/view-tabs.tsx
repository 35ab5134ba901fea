import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Button, Menu, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { keepKeys } from '../../ui/keep-keys.ts'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import type { LinkTarget, ListDefinition } from './list-definition.ts'
import { useListMemory } from './list-memory.ts'
import { getFilters, type ListSearch, sameFilters } from './list-search.ts'
import {
  changeView,
  readSavedViews,
  renameView,
  SAVED_VIEW_LIMIT,
  type SavedView,
  saveView,
  withoutNew,
} from './saved-views.ts'
import type { ViewAct } from './view-acts.tsx'
import classes from './view-tabs.module.css'

/** Loads what few readers do. */
export const loadActs = () => withTexts('lazy', import('./view-acts.tsx'))
const ViewDialog = lazy(loadActs)

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
  const isFiltered = words !== '' || Object.keys(getFilters(search)).length > 0
  const more = (hasNews: boolean) => ({ ...(words !== '' && { words }), ...(hasNews && known) })
  const store = ({ views, saved: { id, search: filters } }: ReturnType<typeof changeView>) => {
    setSaved(views)
    goTo({ ...filters, view: id })
    return id
  }
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
    /** Returns the id; undefined when another view has that name. */
    save: (name: string, hasNews: boolean) => {
      const next = saveView(saved, name, search, more(hasNews))
      return next && store(next)
    },
    // The count may still be on its way: the view goes on telling of new hits.
    change: (view: SavedView) =>
      void store(
        changeView(saved, view, search, {
          ...more(view.new_from !== undefined),
          ...(view.new_from !== undefined && { new_from: seenUntil ?? view.new_from }),
        }),
      ),
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
  const { tabs, active, own, isChanged, isSavable, save, change, rename, remove, switchNews } =
    useViews(props)
  const nav = useRef<HTMLElement>(null)
  /** The button may leave with its form: the named view takes the focus. */
  const focusNamed = (id: string | undefined) => {
    if (id === undefined) return false
    keepKeys(() => nav.current?.querySelector<HTMLElement>(`[data-active="${CSS.escape(id)}"]`))
    return true
  }
  const [act, setAct] = useState<ViewAct>()
  const ask = (next: ViewAct) => {
    setAct(next)
    if (next !== 'delete') keepKeys(() => document.querySelector<HTMLElement>('[role=dialog] input'))
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
        <Button
          size="compact-sm"
          variant="subtle"
          flex="none"
          aria-label={t`Save view`}
          onClick={() => ask('save')}
        >
          <Icon name="bookmark" size={14} />
          <Text span inherit ml={6} visibleFrom="sm">
            {t`Save view`}
          </Text>
        </Button>
      )}
      <ViewMenu
        onSave={own !== undefined && isChanged ? () => change(own) : undefined}
        news={
          own?.words === undefined || isChanged || seenUntil === undefined
            ? undefined
            : { isOn: own.new_from !== undefined, onSwitch: () => switchNews(own.id) }
        }
        ask={own && ask}
      />
      {act !== undefined && (
        <Suspense>
          <ViewDialog
            act={act}
            name={own?.name}
            hasNews={(list.words ?? '') === '' ? undefined : seenUntil !== undefined}
            onSave={(name, hasNews) => focusNamed(save(name, hasNews))}
            onRename={(name) => own === undefined || focusNamed(rename(own.id, name))}
            onDelete={() => own && remove(own.id)}
            onClose={() => setAct(undefined)}
          />
        </Suspense>
      )}
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
  /** Opens the dialog of an act; set for an own view. */
  ask: ((act: ViewAct) => void) | undefined
}) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const ask = (act: ViewAct) => {
    // The dialog returns the focus to the button: the entry is gone by then.
    target.current?.focus({ preventScroll: true })
    props.ask?.(act)
  }
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={230} returnFocus={false}>
      <Tooltip withinPortal={false} label={t`View`}>
        <Menu.Target>
          <ActionIcon ref={target} variant="subtle" color="gray" size={28} flex="none" aria-label={t`View`}>
            <Icon name="more" size={18} />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown ref={dropdown}>
        <Menu.Item
          leftSection={<Icon name="link" size={16} />}
          onClick={() => void loadActs().then((acts) => acts.copyLink())}
        >
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
        {props.ask && (
          <>
            <Menu.Item leftSection={<Icon name="pencil" size={16} />} onClick={() => ask('rename')}>
              {t`Rename the view`}
            </Menu.Item>
            <Menu.Item
              color="red"
              leftSection={<Icon name="trash" size={16} />}
              onClick={() => ask('delete')}
            >
              {t`Delete the view`}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
