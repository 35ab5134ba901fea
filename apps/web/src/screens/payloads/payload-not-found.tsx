import { useLingui } from '@lingui/react/macro'
import { RecordNotFound } from '../../components/record-page.tsx'
import { getList, type ScreenService, SERVICES } from './services.ts'

/** Shown for a missing recording; a separate chunk, as other pages do not need it. */
export default function NotFound({ service }: { service: ScreenService }) {
  const { i18n } = useLingui()
  const { one, toList } = SERVICES[service]
  return <RecordNotFound title={i18n._(one)} back={getList(service, {})} backLabel={i18n._(toList)} />
}
