import { useLingui } from '@lingui/react/macro'
import classes from './map.module.css'
import { type Camera, metresPerPixel } from './projection.ts'

/** Maximum bar width in pixels. */
const MOST = 110

/** Scale bar: the longest round length that fits. */
export function ScaleBar({ camera }: { camera: Camera }) {
  const { i18n } = useLingui()
  const metres = metresPerPixel(camera)
  const length = roundBelow(metres * MOST)
  const words = i18n.number(length >= 1000 ? length / 1000 : length, {
    style: 'unit',
    unit: length >= 1000 ? 'kilometer' : 'meter',
  })
  return (
    <div className={classes.scale} style={{ width: length / metres }}>
      {words}
    </div>
  )
}

/** Rounds down to 1, 2 or 5 times a power of ten. */
function roundBelow(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length))
  return power * (length >= 5 * power ? 5 : length >= 2 * power ? 2 : 1)
}
