import type { I18n } from '@lingui/core'
import { Trans } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

/** Rows per page. */
export const PART = 25

/** A page of loaded rows: the one with `followed`, until the user turns the page; then that, until `followed` changes. */
export function usePart<Row>(all: readonly Row[], followed: number) {
  const [chosen, setChosen] = useState<{ part: number; while: number }>()
  const last = Math.max(0, Math.ceil(all.length / PART) - 1)
  const part = Math.min(last, chosen?.while === followed ? chosen.part : followed)
  return {
    rows: all.slice(part * PART, (part + 1) * PART),
    part,
    last,
    turn: (to: number) => setChosen({ part: to, while: followed }),
  }
}

/** Previous and next page; hidden for a single page. */
export function MorePages({
  part: { part, last, turn },
}: {
  part: Pick<ReturnType<typeof usePart>, 'part' | 'last' | 'turn'>
}) {
  if (last === 0) return null
  const [page, pages] = [part + 1, last + 1]
  return (
    <Group gap="sm">
      <Button size="xs" variant="default" disabled={part === 0} onClick={() => turn(part - 1)}>
        <Trans>Previous</Trans>
      </Button>
      <Text size="sm">
        <Trans>
          Page {page} of {pages}
        </Trans>
      </Text>
      <Button size="xs" variant="default" disabled={part === last} onClick={() => turn(part + 1)}>
        <Trans>Next</Trans>
      </Button>
    </Group>
  )
}

/** A list that scrolls to its current item when `current` changes; the page does not scroll. */
export function useCurrentItem(current: unknown) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const item = list.current?.querySelector<HTMLElement>('[aria-current=true]')
    if (!list.current || !item) return
    const top = item.offsetTop + item.offsetHeight / 2 - list.current.clientHeight / 2
    list.current.scrollTo({ top })
  }, [current])
  return list
}

/** Latitude and longitude in degrees, to about a metre. */
export function placeWords(
  { latitude, longitude }: { latitude: number | null; longitude: number | null },
  i18n: I18n,
): string {
  const degrees = (value: number | null) =>
    i18n.number(value ?? 0, { minimumFractionDigits: 5, maximumFractionDigits: 5 })
  return `${degrees(latitude)}; ${degrees(longitude)}`
}
