import type { ThreadMessage } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { askDataAddress } from '../payloads/data-address.ts'
import { refreshAudit } from '../payloads/queries.ts'
import { noticeDataFailure } from '../payloads/refusals.tsx'
import classes from './conversation.module.css'

/** A truncated text. The full text loads on demand, because the read is audited. */
export function LongText({ message: { payload_reference, text } }: { message: ThreadMessage }) {
  const may = useMay()
  const whole = useMutation({
    mutationFn: () => readWholeText(payload_reference),
    onSuccess: () => refreshAudit(payload_reference),
    onError: noticeDataFailure,
    meta: { silent: true },
  })
  return (
    <>
      <p className={classes.text}>
        <MarkedText text={whole.data ?? `${text ?? ''}…`} />
      </p>
      {whole.data === undefined && (
        <>
          <Text size="sm" fs="italic">
            <Trans>The text is truncated.</Trans>
          </Text>
          {may('payloads:play') && (
            <Button
              size="compact-sm"
              variant="default"
              loading={whole.isPending}
              onClick={() => whole.mutate()}
            >
              <Trans>Show full text</Trans>
            </Button>
          )}
        </>
      )}
    </>
  )
}

async function readWholeText(payload_reference: string): Promise<string> {
  const answer = await fetch(await askDataAddress(payload_reference, 'play', 'text'))
  if (!answer.ok) throw new Error(`the text was refused: ${answer.status}`)
  return answer.text()
}
