import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { sentWhenReachable } from '../../../api/connection.ts'
import { useMay } from '../../../api/use-profile.ts'
import type { BulkProps } from '../../../components/lists/list-definition.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { totalText } from '../../../ui/text.ts'
import HoldSetButton from '../../legal-holds/hold-set-button.tsx'
import { markConversations } from './marking.ts'
import { MARK_STYLES } from './marks.ts'

/** Actions on selected conversations, or on all that match the filters. */
export default function BulkConversations(props: BulkProps) {
  const may = useMay()
  return (
    <>
      {may('payloads.marks:create') && <MarkButton {...props} />}
      <HoldSetButton {...props} rows="conversations" />
    </>
  )
}

/** Asks before it marks all that match. The notice of the mark offers to undo it. */
function MarkButton({ keys, matching, onDone }: BulkProps) {
  const { i18n } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const marking = useMutation({
    ...sentWhenReachable(() => markConversations(matching ? { query: matching.getQuery() } : { keys })),
    onSuccess: () => onDone(),
  })
  const act = i18n._(MARK_STYLES.reviewed.act)
  const total = totalText(matching?.total ?? { total: keys.length }, (count) => i18n.number(count))
  return (
    <>
      <Button
        size="xs"
        aria-keyshortcuts={MARK_STYLES.reviewed.key}
        variant="default"
        leftSection={<Icon name={MARK_STYLES.reviewed.icon} size={15} />}
        loading={marking.isPending}
        onClick={() => (matching ? setAsking(true) : marking.mutate())}
      >
        {act}
      </Button>
      {isAsking && (
        <Confirm
          title={act}
          confirmLabel={act}
          onClose={() => setAsking(false)}
          onConfirm={() => marking.mutateAsync().then(() => setAsking(false))}
        >
          <Trans>Marks what you opened in all {total} matching conversations. You can undo it.</Trans>
        </Confirm>
      )}
    </>
  )
}
