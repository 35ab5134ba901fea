import { ApiProblem } from '@custodia/client'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Center, Code, Group, TextInput } from '@mantine/core'
import { failureText, faultText } from '../../api/failure-text.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import type { ListDefinition, ListFilter } from './list-definition.ts'
import { type ListSearch, sameFilters } from './list-search.ts'
import classes from './list-grid.module.css'
import view from './list-view.module.css'

/** Style of the search field, also for its placeholder. */
export const SEARCH_STYLE = {
  className: view.search,
  size: 'xs',
  styles: { input: { height: 32, fontSize: 14 } },
  type: 'text',
  inputMode: 'search',
  leftSection: <Icon name="search" size={15} />,
} as const

/** Invisible text of a control, which takes the width of the control: with its icon, and its arrow. */
const SkeletonBar = (props: {
  children: string
  hasIcon?: true
  hasArrow?: true
  className?: string | undefined
}) => (
  <Button
    className={props.className}
    size="xs"
    h={32}
    fw={500}
    tabIndex={-1}
    leftSection={props.hasIcon && <Icon name="filter" size={15} />}
    rightSection={props.hasArrow && <Center w={18} />}
  >
    {props.children}
  </Button>
)

/** Placeholder of the controls while they load: it wraps as they do. The search field is already in place and keeps typed text. */
export function ControlsPending({
  list,
  isNarrow,
  onFocus,
}: {
  list: Pick<ListDefinition<never, never>, 'filters' | 'dates'>
  isNarrow: boolean
  onFocus: () => void
}) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const filters = list.filters.filter(({ action }) => action === undefined || may(action))
  const field = filters.find(({ kind }) => kind === 'search')
  const isFirst = (filter: ListFilter) =>
    filter.kind === 'choice' ? !filter.isRare : filter.kind === 'pick' && filter.isFirst === true
  const firsts = isNarrow ? [] : filters.filter(isFirst)
  return (
    <div className={view.pending} data-pending>
      <Group gap={8}>
        {field?.kind === 'search' && (
          <TextInput
            {...SEARCH_STYLE}
            readOnly
            aria-label={i18n._(field.label)}
            placeholder={i18n._(field.placeholder)}
            onFocus={onFocus}
          />
        )}
        {(list.dates?.length ?? 0) > 0 && (
          <SkeletonBar hasIcon hasArrow className={view.time}>
            {t`Any time`}
          </SkeletonBar>
        )}
        {firsts.map(({ name, label }) => (
          <SkeletonBar key={name} hasArrow>
            {i18n._(label)}
          </SkeletonBar>
        ))}
        {filters.length > firsts.length + Number(field !== undefined) && (
          <SkeletonBar hasIcon hasArrow>
            {isNarrow ? t`Filters` : t`More filters`}
          </SkeletonBar>
        )}
        {filters.length > 0 && <div className={view.chips} />}
      </Group>
    </div>
  )
}

/** Skeleton rows of the final height. */
export function RowSkeletons({ height, columns }: { height: number; columns: number }) {
  const { t } = useLingui()
  return (
    <output
      className={classes.scroll}
      style={{ overflow: 'hidden' }}
      aria-busy="true"
      aria-label={t`Loading`}
    >
      <div className={classes.header} />
      {Array.from({ length: 24 }, (_, row) => (
        <div
          key={row}
          className={`${classes.bone} ${classes.columns}`}
          style={{ height, ['--list-columns' as string]: `repeat(${columns}, 1fr)` }}
        >
          {Array.from({ length: columns }, (__, column) => (
            <span key={column} style={{ width: `${45 + ((row * 7 + column * 13) % 40)}%` }} />
          ))}
        </div>
      ))}
    </output>
  )
}

/** Empty list: because of the view, the filters, or missing data. */
export function NoRows<Row, Query>(props: {
  list: Pick<ListDefinition<Row, Query>, 'icon' | 'noMatch' | 'empty' | 'filters' | 'views'>
  isFiltered: boolean
  search: ListSearch
  onClear: () => void
}) {
  const { i18n } = useLingui()
  const { list } = props
  const view = list.views?.find(({ search }) => sameFilters(search, props.search))
  if (view?.empty)
    return (
      <EmptyState
        icon="check"
        title={i18n._(view.empty.title)}
        description={i18n._(view.empty.description)}
        action={
          <Button mt="xs" variant="light" onClick={props.onClear}>
            <Trans>Show all</Trans>
          </Button>
        }
      />
    )
  const search = list.filters.find(({ kind, name }) => kind === 'search' && props.search[name] !== undefined)
  const hint = search?.kind === 'search' ? search.hint : undefined
  return props.isFiltered ? (
    <EmptyState
      icon="filter"
      title={i18n._(list.noMatch)}
      description={hint ? i18n._(hint) : <Trans>Try fewer or different filters.</Trans>}
      action={
        <Button mt="xs" variant="light" onClick={props.onClear}>
          <Trans>Clear filters</Trans>
        </Button>
      }
    />
  ) : (
    <EmptyState
      icon={list.icon}
      title={i18n._(list.empty.title)}
      description={i18n._(list.empty.description)}
    />
  )
}

/** An empty page that has a next one: a request reads a limited part. */
export function NoRowsSoFar({ isLoading, onMore }: { isLoading: boolean; onMore: () => void }) {
  const { t } = useLingui()
  return (
    <EmptyState
      icon="search"
      title={t`Nothing found so far`}
      action={
        <Button mt="xs" variant="light" loading={isLoading} onClick={onMore}>
          <Trans>Search further</Trans>
        </Button>
      }
    />
  )
}

/** Error in place of the list: the missing permission, the cause, or Retry. */
export function ListFailure(props: {
  error: unknown
  list: Pick<ListDefinition<never, never>, 'permission' | 'isFailureInPlace'>
  onRetry: () => void
}) {
  const { error } = props
  const { permission, isFailureInPlace } = props.list
  const { t, i18n } = useLingui()
  if (error instanceof ApiProblem && error.status === 403) {
    return (
      <EmptyState
        icon="lock"
        title={t`You have no access to this list`}
        description={
          <Trans>
            You need the permission <Code>{permission}</Code>. Ask an account administrator.
          </Trans>
        }
      />
    )
  }
  if (isFailureInPlace && error instanceof ApiProblem && error.status < 500) {
    return (
      <Alert color="yellow" icon={<Icon name="info" />} role="alert" my="md">
        {error.faults.length > 0
          ? error.faults.map((fault) => faultText(fault, i18n)).join(' ')
          : failureText(error, i18n)}
      </Alert>
    )
  }
  return <ErrorState onRetry={props.onRetry} />
}
