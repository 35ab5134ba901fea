import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Skeleton, Text, Title, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import type { HomeTotals } from './home-counts.ts'
import {
  useCaptureItems,
  useDecisionItems,
  useFaultItems,
  useNoticeItems,
  useReviewItems,
  useSearchItems,
  type WorkCount,
  type WorkItem,
} from './work-items.ts'
import classes from './worklist.module.css'

/** Lines of the card while it loads. */
const LINES = 8

const isEmpty = ({ counts }: WorkItem): boolean =>
  Array.isArray(counts) && (counts as readonly WorkCount[]).every(({ total }) => total.total === 0)

/** The user's pending work, the worst first. Kinds without work fold into one line. */
export function Worklist({ totals }: { totals: HomeTotals }) {
  const [isUnfolded, setUnfolded] = useState(false)
  const items = [
    ...useFaultItems(),
    ...useCaptureItems(),
    ...useNoticeItems(),
    ...useReviewItems(totals),
    ...useDecisionItems(),
    ...useSearchItems(),
  ]
  if (items.length === 0) return null
  // In order: a line that loads later never moves the lines before it.
  const loading = items.findIndex(({ counts }) => counts === undefined)
  const isLoading = loading >= 0
  const waiting = (isLoading ? items.slice(0, loading) : items).filter((item) => !isEmpty(item))
  const folded = isLoading ? 0 : items.length - waiting.length
  return (
    <Card component="section" aria-labelledby="worklist-title" aria-busy={isLoading} padding="lg">
      <Title order={2} id="worklist-title" mb="xs">
        <Trans>Awaiting your action</Trans>
      </Title>
      {waiting.length === 0 && !isLoading && (
        <Text c="dimmed" mb="xs">
          <Trans>Nothing is waiting.</Trans>
        </Text>
      )}
      <ul className={classes.list}>
        {(isUnfolded ? items : waiting).map((item) => (
          <WorkLine key={item.id} item={item} />
        ))}
        {isLoading &&
          Array.from({ length: Math.max(1, LINES - waiting.length) }, (_, line) => (
            <li key={line} className={classes.line}>
              <Skeleton h={28} className={classes.bone} />
            </li>
          ))}
      </ul>
      {folded > 0 && (
        <Button
          mt="xs"
          size="xs"
          variant="subtle"
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          {isUnfolded ? (
            <Trans>Show fewer</Trans>
          ) : (
            <Plural value={folded} one="# other has nothing waiting" other="# others have nothing waiting" />
          )}
        </Button>
      )}
    </Card>
  )
}

function WorkLine({ item }: { item: WorkItem }) {
  const { t } = useLingui()
  const { icon, label, isGrave = false, counts } = item
  const hasWork = counts !== undefined && counts !== null && !isEmpty(item)
  const shown = hasWork ? counts.filter(({ total }) => total.total > 0) : counts?.slice(0, 1)
  return (
    <li className={classes.line} data-grave={(isGrave && hasWork) || undefined}>
      <Icon name={icon} />
      <span className={classes.label}>{label}</span>
      <span className={classes.counts}>
        {counts === null && <abbr title={t`The count failed`}>–</abbr>}
        {shown?.map((count) => (
          <CountLink key={count.record ?? count.what ?? ''} count={count} label={label} />
        ))}
      </span>
    </li>
  )
}

function CountLink({ count: { to, what, total, record }, label }: { count: WorkCount; label: string }) {
  const { i18n } = useLingui()
  return (
    <Link {...to} className={classes.count} data-none={total.total === 0 || undefined}>
      {record === undefined && (
        <strong className={classes.number}>{totalText(total, (count) => i18n.number(count))}</strong>
      )}
      {what === undefined ? <VisuallyHidden>{label}</VisuallyHidden> : <span>{what}</span>}
    </Link>
  )
}
