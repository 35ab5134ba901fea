import { correction, generate } from 'lean-qr'
import { toSvgDataURL } from 'lean-qr/extras/svg'
import { useMemo } from 'react'

/** White margin that readers need, in modules. */
const QUIET = 4

/** A text as a QR code: black on white in every theme, which cameras require. */
export default function QrCode({
  text,
  label,
  size,
}: {
  text: string
  label: string
  size: number | string
}) {
  const address = useMemo(
    () =>
      toSvgDataURL(generate(text, { minCorrectionLevel: correction.M }), {
        on: 'black',
        off: 'white',
        padX: QUIET,
        padY: QUIET,
      }),
    [text],
  )
  return (
    <img
      src={address}
      alt={label}
      style={{ display: 'block', width: size, height: size, maxWidth: '100%' }}
    />
  )
}
