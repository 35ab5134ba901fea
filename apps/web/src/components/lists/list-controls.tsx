import type { SearchTotal, Total } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Button, CloseButton, Group, Text } from '@mantine/core'
import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import { Hint } from '../../ui/hint.tsx'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import { ColumnChooser, type ColumnChoice } from './column-chooser.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'
import type { Selection } from './selection.ts'
import { loadActs, ViewTabs } from './view-tabs.tsx'
import classes from './list-view.module.css'

/** Row-independent parts of a list definition. */
type ControlledList = Pick<
  ListDefinition<never, never>,
  | 'name'
  | 'views'
  | 'words'
  | 'keysSince'
  | 'address'
  | 'parse'
  | 'filters'
  | 'dates'
  | 'hasOrder'
  | 'BulkActions'
  | 'actsOnMatching'
>

/** Controls above the rows: views, export, columns and filters. A separate chunk, so that rows do not wait for menus. */
export default function ListControls(props: {
  list: ControlledList
  search: ListSearch
  change: ChangeSearch
  goTo: (search: ListSearch) => void
  isNarrow: boolean
  columns: ColumnChoice
  /** Set where the list has tiles. */
  look: { look: 'table' | 'tiles'; setLook: (look: 'table' | 'tiles') => void } | undefined
  /** Rows of the list, where known. */
  total: Total | undefined
  /** Undefined without rows to export. */
  onExportAll: (() => void) | undefined
}) {
  const { t } = useLingui()
  const { list, search, goTo } = props
  return (
    <>
      <ViewTabs
        list={list}
        search={search}
        goTo={goTo}
        seenUntil={(props.total as SearchTotal | undefined)?.seen_until}
        tools={
          <>
            <Hint label={t`Export all matching rows as CSV`}>
              <ActionIcon
                size={32}
                variant="default"
                aria-label={t`Export all matching rows as CSV`}
                disabled={props.onExportAll === undefined}
                onClick={props.onExportAll}
              >
                <Icon name="download" size={16} />
              </ActionIcon>
            </Hint>
            {props.look && <ViewModeSwitch {...props.look} />}
            {props.look?.look !== 'tiles' && <ColumnChooser columns={props.columns} />}
          </>
        }
      />
      <FilterBar
        list={list}
        search={search}
        change={props.change}
        reset={() => goTo({})}
        isNarrow={props.isNarrow}
      />
    </>
  )
}

/** Switches between table and tiles. */
function ViewModeSwitch({
  look,
  setLook,
}: {
  look: 'table' | 'tiles'
  setLook: (look: 'table' | 'tiles') => void
}) {
  const { t } = useLingui()
  const label = look === 'tiles' ? t`Show as a table` : t`Show as tiles`
  return (
    <Hint label={label}>
      <ActionIcon
        size={32}
        variant="default"
        aria-label={label}
        onClick={() => setLook(look === 'tiles' ? 'table' : 'tiles')}
      >
        <Icon name={look === 'tiles' ? 'menu' : 'dashboard'} size={16} />
      </ActionIcon>
    </Hint>
  )
}

/** Keeps the focused row above the bar, which covers the end of the rows. */
function useFocusedRowAbove(): RefObject<HTMLDivElement | null> {
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const row = document.activeElement
      const scroll = row?.closest('[data-list-scroll]')
      if (!row || !scroll) return
      const hidden = row.getBoundingClientRect().bottom - scroll.getBoundingClientRect().bottom
      if (hidden > 0) scroll.scrollTop += hidden
    })
    if (bar.current) observer.observe(bar.current)
    return () => observer.disconnect()
  }, [])
  return bar
}

/** Actions on the selected rows, below the rows: these keep their place. */
export function BulkBar(props: {
  list: ControlledList
  /** API query of the list, with relative times as of now. */
  getQuery: () => object
  selection: Selection
  total: Total | undefined
  onExport: (() => void) | undefined
  onClear: (refused?: readonly string[]) => void
  onSelectMatching: () => void
  /** Handles keys on the bar. */
  onKeyDown: (event: KeyboardEvent) => void
}) {
  const bar = useFocusedRowAbove()
  const { t, i18n } = useLingui()
  const { list } = props
  const { keys, isCut, isAll } = props.selection
  const total = props.total ? totalText(props.total, (each) => i18n.number(each)) : '…'
  const count = i18n.number(keys.size)
  const matching = isAll && { getQuery: props.getQuery, words: list.words, total: props.total }
  const { total: found, is_capped } = props.total ?? { total: 0 }
  const hasMore = list.actsOnMatching && !isAll && (is_capped === true || found > keys.size)
  const copy = () => void loadActs().then(({ copyReferences }) => copyReferences(keys))
  return (
    <div
      ref={bar}
      role="toolbar"
      tabIndex={-1}
      aria-label={t`Selected rows`}
      className={classes.bulk}
      onKeyDown={props.onKeyDown}
    >
      <CloseButton aria-label={t`Clear the selection`} onClick={() => props.onClear()} />
      <Text fw={650} className="tabular" component="output">
        {isAll ? (
          <Trans>All {total} matching</Trans>
        ) : (
          <Trans>
            {count} of {total} selected
          </Trans>
        )}
        {isCut && !isAll && (
          <Text span fw={400} ml={8}>
            <Trans>This is the limit of one operation.</Trans>
          </Text>
        )}
      </Text>
      {hasMore && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            props.onSelectMatching()
            // The button goes, and the focus would go with it.
            bar.current?.focus()
          }}
        >
          <Trans>Select all {total} matching</Trans>
        </Button>
      )}
      <Group gap={8} ml="auto" className={classes.acts}>
        {list.BulkActions && (
          <list.BulkActions keys={[...keys]} matching={matching || undefined} onDone={props.onClear} />
        )}
        {!isAll && (
          <Button size="xs" variant="default" leftSection={<Icon name="copy" size={15} />} onClick={copy}>
            <Trans>Copy references</Trans>
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          onClick={props.onExport}
        >
          <Trans>Export CSV</Trans>
        </Button>
      </Group>
    </div>
  )
}
