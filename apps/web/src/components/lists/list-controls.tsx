import { useLingui } from '@lingui/react/macro'
import { ActionIcon } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { ColumnChooser, type ColumnChoice } from './column-chooser.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'
import type { Selection } from './selection.ts'
import { ViewTabs } from './view-tabs.tsx'
import { Hint } from '../../ui/hint.tsx'

/** Row-independent parts of a list definition. */
type Controlled = Pick<
  ListDefinition<never, never>,
  'name' | 'views' | 'address' | 'parse' | 'filters' | 'dates' | 'BulkActions'
>

/** Controls above the rows: views, export, columns, and filters or bulk actions. A separate chunk, so that rows do not wait for menus. */
export default function ListControls(props: {
  list: Controlled
  search: ListSearch
  change: ChangeSearch
  goTo: (search: ListSearch) => void
  isNarrow: boolean
  columns: ColumnChoice
  /** Set where the list has tiles. */
  look: { look: 'table' | 'tiles'; setLook: (look: 'table' | 'tiles') => void } | undefined
  selection: Selection
  onClearSelection: () => void
  onExportSelection: () => void
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
      {props.selection.keys.size > 0 ? (
        <BulkBar
          selection={props.selection}
          onExport={props.onExportSelection}
          onClear={props.onClearSelection}
          Actions={list.BulkActions}
        />
      ) : (
        <FilterBar
          list={list}
          search={search}
          change={props.change}
          reset={() => goTo({})}
          isNarrow={props.isNarrow}
        />
      )}
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
