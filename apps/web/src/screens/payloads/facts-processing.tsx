import type { Payload } from '@custodia/contract'
import { hasData } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'
import { formatSize } from './formats.ts'
import { getDetail } from './services.ts'

/** Link to another message, labelled with the end of its reference. */
export const MessageLink = ({ reference }: { reference: string }) => (
  <TextLink style={{ whiteSpace: 'nowrap' }} title={reference} {...getDetail('messages', reference)}>
    …{reference.slice(-8)}
  </TextLink>
)

// Loads on demand, to keep the page's chunks few.
const ReceiptDialog = lazy(() => withTexts('lazy', import('./actions/receipt-dialog.tsx')))

/** Button to confirm a receipt, for permitted users. */
function ReceiptButton({ reference }: { reference: string }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  if (!useMay()('receipts:confirm')) return null
  return (
    <>
      <Button
        variant="default"
        // Narrow pages have no room for one line.
        maw="100%"
        h="auto"
        mih={36}
        styles={{ label: { whiteSpace: 'normal' } }}
        leftSection={<Icon name="check" size={16} />}
        onClick={() => setAsking(true)}
      >{t`Confirm receipt`}</Button>
      {isAsking && (
        <Suspense>
          <ReceiptDialog reference={reference} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  )
}

export function ProcessingFacts({ payload }: { payload: Payload }) {
  const { t, i18n } = useLingui()
  const { media, scanner, receipt_confirmed_at } = payload
  const receipt_confirmed_by = authorName(payload, 'receipt_confirmed_by') || '–'
  // A message is read, not played.
  const isPlayed = media?.playback !== undefined && /^(audio|video|image)\//.test(media.content_type)
  return (
    <Facts title={t`Processing`} isPart>
      <Fact label={t`Announced`}>{moment(payload.announced_at)}</Fact>
      <Fact label={t`Uploaded`}>{moment(payload.uploaded_at)}</Fact>
      <Fact label={t`Processed`}>{moment(payload.processed_at)}</Fact>
      <Fact label={t`Transferred`}>{moment(payload.transferred_at)}</Fact>
      <Fact label={t`Receipt`}>
        {receipt_confirmed_at && (
          <span>
            {payload.receipt_is_of_person === true ? (
              <Trans>Receipt confirmed by {receipt_confirmed_by}, a person</Trans>
            ) : (
              <Trans>Receipt confirmed by {receipt_confirmed_by}</Trans>
            )}{' '}
            · {moment(receipt_confirmed_at)}
          </span>
        )}
        {hasData(payload) && (
          <ReceiptButton key={payload.payload_reference} reference={payload.payload_reference} />
        )}
      </Fact>
      <Fact label={t`First upload`}>
        {payload.copy_of !== undefined && <MessageLink reference={payload.copy_of} />}
      </Fact>
      <Fact label={t`Duplicate upload`}>
        {payload.copies?.map((copy) => (
          <div key={copy}>
            <MessageLink reference={copy} />
          </div>
        ))}
      </Fact>
      <Fact label={t`Malware scan`}>
        {scanner && (scanner === 'none' ? t`not scanned: no scanner configured` : t`clean (${scanner})`)}
      </Fact>
      <Fact label={t`Original`}>
        {media &&
          `${[media.content_type, media.codec].filter(Boolean).join(', ')} · ${formatSize(media.size, i18n)}`}
      </Fact>
      <Fact label={t`Played as`}>
        {isPlayed &&
          (media.playback === 'original' ? (
            <Trans>the original itself</Trans>
          ) : (
            <Trans>a converted copy ({media.playback_content_type})</Trans>
          ))}
      </Fact>
      <Fact label={t`SHA-256 sealed`}>{reference(payload.checksum)}</Fact>
      <Fact label={t`SHA-256 opened`}>{reference(payload.decrypted_checksum)}</Fact>
      <Fact label={t`Key`}>{reference(payload.key_id)}</Fact>
      <Fact label={t`Legacy reference`}>{reference(payload.legacy_payload_reference)}</Fact>
      <Fact label={t`Legacy processed`}>{moment(payload.legacy_processed_time)}</Fact>
      <Fact label={t`Updated`}>{moment(payload.updated_at)}</Fact>
    </Facts>
  )
}

const moment = (at: number | null | undefined) => typeof at === 'number' && <Time at={at} style="second" />

const reference = (value: string | null | undefined) =>
  typeof value === 'string' && <Reference value={value} length={17} />
