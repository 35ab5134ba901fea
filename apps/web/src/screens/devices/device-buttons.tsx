import type { Device } from '@custodia/contract'
import { DeviceActs } from './device-acts.tsx'
import SendCommand from './send-command.tsx'

/** Buttons of a device's page. */
export default function DeviceButtons({ device }: { device: Device }) {
  return (
    <>
      <SendCommand keys={[device.device_reference]} />
      <DeviceActs device={device} />
    </>
  )
}
