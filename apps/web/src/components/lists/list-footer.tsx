import type { Total } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import type { HiddenColumns } from './use-list-columns.ts'
import classes from './list-view.module.css'

/** Number of loaded rows, and a button for more where scrolling does not load them. */
export function ListFooter(props: {
  /** Undefined without rows. */
  loaded: number | undefined
  total: Total | undefined
  hasMore: boolean
  isLoadingMore: boolean
  isMoreFailed: boolean
  onMore: () => void
  hidden: HiddenColumns
  onShowHidden: (side: keyof HiddenColumns) => void
}) {
  const { i18n } = useLingui()
  const hidden = props.hidden.right > 0 ? 'right' : props.hidden.left > 0 ? 'left' : undefined
  const loaded = i18n.number(props.loaded ?? 0)
  // Marked rows stay although they no longer count.
  const counted = (props.total?.total ?? 0) < (props.loaded ?? 0) ? undefined : props.total
  const total = counted && totalText(counted, (count) => i18n.number(count))
  return (
    <div className={classes.footer}>
      <span className="tabular">
        {props.loaded === undefined ? null : total === undefined ? (
          <Trans>{loaded} loaded</Trans>
        ) : (
          <Trans>
            {loaded} of {total} loaded
          </Trans>
        )}
      </span>
      {props.isMoreFailed && !props.isLoadingMore && (
        <span role="alert">
          <Trans>More rows could not be loaded.</Trans>
        </span>
      )}
      {props.hasMore && (
        <Button size="compact-xs" variant="subtle" loading={props.isLoadingMore} onClick={props.onMore}>
          {props.isMoreFailed ? <Trans>Retry</Trans> : <Trans>Load more</Trans>}
        </Button>
      )}
      {hidden !== undefined && (
        <Button
          size="compact-xs"
          variant="subtle"
          ml="auto"
          leftSection={hidden === 'left' && <Icon name="arrow-left" size={13} />}
          rightSection={hidden === 'right' && <Icon name="arrow-right" size={13} />}
          onClick={() => props.onShowHidden(hidden)}
        >
          <Plural value={props.hidden[hidden]} one="# more column" other="# more columns" />
        </Button>
      )}
    </div>
  )
}

/** '12 new – show': new rows, inserted on demand. */
export function NewsBar({ news, isMore, onShow }: { news: number; isMore: boolean; onShow: () => void }) {
  if (news === 0) return null
  return (
    <output className={classes.news}>
      <Button size="compact-sm" radius="xl" onClick={onShow}>
        {isMore ? (
          <Trans>More than {news - 1} new – show</Trans>
        ) : (
          <Plural value={news} one="# new – show" other="# new – show" />
        )}
      </Button>
    </output>
  )
}
