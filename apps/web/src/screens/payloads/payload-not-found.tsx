import { Trans, useLingui } from '@lingui/react/macro'
import { RecordNotFound } from '../../components/record-page.tsx'
import { listOf, type ScreenService, SERVICES } from './services.ts'

/** Shown for a missing recording; a separate chunk, as other pages do not need it. */
export default function NotFound({ reference, service }: { reference: string; service: ScreenService }) {
  const { i18n } = useLingui()
  return (
    <RecordNotFound back={listOf(service, {})} backLabel={i18n._(SERVICES[service].toList)}>
      <Trans>Recording {reference} does not exist, or your roles and groups do not allow it.</Trans>
    </RecordNotFound>
  )
}
