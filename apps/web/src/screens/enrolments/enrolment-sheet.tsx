import type { NewEnrolment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { createPortal } from 'react-dom'
import { personName } from '../../components/person-name.ts'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import classes from './enrolment-sheet.module.css'
import QrCode from './qr-code.tsx'

/** Print-only sheet for the person who receives the phone. */
export function EnrolmentSheet({ enrolment }: { enrolment: NewEnrolment }) {
  const { t } = useLingui()
  const { text, expires_at, device_user_reference, enrolment_reference, description } = enrolment
  const whose = personName(enrolment) || device_user_reference
  return createPortal(
    <div className={classes.sheet} aria-hidden>
      <h1>{whose === null ? <Trans>Enrol your phone</Trans> : <Trans>Phone for {visible(whose)}</Trans>}</h1>
      {description !== null && <p>{visible(description)}</p>}
      <QrCode text={text} label={t`Enrolment QR code`} size="9cm" />
      <ol>
        <li>
          <Trans>Switch the phone on and connect it to the network.</Trans>
        </li>
        <li>
          <Trans>Open the recorder app and choose to enrol.</Trans>
        </li>
        <li>
          <Trans>Scan the code above with its camera.</Trans>
        </li>
      </ol>
      <p>
        <Trans>
          Valid until <Time at={expires_at} />. Keep it confidential and destroy this sheet afterwards.
        </Trans>
      </p>
      <p className={classes.text}>{text}</p>
      <p className={classes.text}>{enrolment_reference}</p>
    </div>,
    document.body,
  )
}
