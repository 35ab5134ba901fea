import type { Device } from '@custodia/contract'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { DeviceFacts } from './device-facts.tsx'
import { deviceQuery } from './device-query.ts'

/** Preview of a device. */
export default function DevicePreview({ rowKey, row }: PreviewProps<Device>) {
  return (
    <RecordPreview row={row} query={deviceQuery(rowKey)} action="devices:read" isRowWhole>
      {(device) => <DeviceFacts device={device} />}
    </RecordPreview>
  )
}
