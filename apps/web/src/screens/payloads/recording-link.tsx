import type { NamedRecording } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { TextLink } from '../../components/text-link.tsx'
import { recordingName } from './recording-name.ts'
import { getDetail, screenService } from './services.ts'

/** A recording by name, as a link; only its reference without the right to read it. `name`: absent, as in a sentence. */
export function RecordingLink(props: { recording: NamedRecording; name?: string; isInRow?: boolean }) {
  const { i18n } = useLingui()
  const { recording, isInRow } = props
  const { payload_reference, seen } = recording
  const service = seen === null ? undefined : screenService(seen.payload_type)
  const name = props.name ?? recordingName(recording, i18n)
  return service === undefined ? (
    <span title={payload_reference}>{name}</span>
  ) : (
    <TextLink {...getDetail(service, payload_reference)} isInRow={isInRow} title={payload_reference}>
      {name}
    </TextLink>
  )
}
